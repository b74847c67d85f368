internal import CZlib

/// Inflates a gzip stream piece by piece. It may have several members, one after the other, as `cat a.gz b.gz` makes.
///
/// Zeros after the last member are padding, which tapes and some block devices leave. Anything else is refused.
final class GzipInflater {
    /// What is wrong with the compressed bytes.
    struct Problem: Error {
        let message: String
        /// The offset in the compressed input, in bytes.
        let offset: Int
    }

    private enum Position { case inMember, betweenMembers, inPadding }

    /// It needs a stable address, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var position = Position.inMember
    private var offset = 0

    /// Whether more may be inflated without further input: the last output was filled completely.
    private(set) var holdsOutput = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 added to the largest window size selects gzip, with its header and checksum.
        let result = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib can't be set up: error \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Inflates from the start of `input` into `output`.
    ///
    /// - Returns: How many bytes of `input` were used, and how many of `output` were filled. If none were filled, all
    ///   input was used, and no output is pending.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Problem) -> (used: Int, filled: Int) {
        var used = 0
        var filled = 0
        while used < input.count || holdsOutput, filled == 0 {
            if position == .betweenMembers {
                if input[used] == 0 {
                    position = .inPadding
                } else {
                    inflateReset(stream)
                    position = .inMember
                }
            }
            if position == .inPadding {
                guard let other = input[used...].firstIndex(where: { $0 != 0 }) else {
                    offset += input.count - used
                    return (input.count, 0)
                }
                throw Problem(message: "bytes that are not gzip after the end", offset: offset + other - used)
            }
            let rest = UnsafeRawBufferPointer(rebasing: input[used...])
            let step = try inflateMember(rest, into: output)
            used += step.used
            filled += step.filled
        }
        return (used, filled)
    }

    /// Ends the input.
    ///
    /// - Throws: ``Problem`` if it ends in the middle of a member.
    func finish() throws(Problem) {
        if position == .inMember { throw Problem(message: "the gzip stream ends too early", offset: offset) }
    }

    private func inflateMember(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Problem) -> (used: Int, filled: Int) {
        stream.pointee.next_in = UnsafeMutablePointer(
            mutating: input.baseAddress?.assumingMemoryBound(to: UInt8.self))
        stream.pointee.avail_in = UInt32(clamping: input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(clamping: output.count)
        let offered = Int(stream.pointee.avail_in)
        let capacity = Int(stream.pointee.avail_out)
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        let used = offered - Int(stream.pointee.avail_in)
        let filled = capacity - Int(stream.pointee.avail_out)
        offset += used
        holdsOutput = result == Z_OK && filled == capacity
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: position = .betweenMembers
        default:
            let detail = stream.pointee.msg.map { ": " + String(cString: $0) } ?? ""
            throw Problem(message: "the gzip stream is damaged\(detail)", offset: offset)
        }
        return (used, filled)
    }
}
