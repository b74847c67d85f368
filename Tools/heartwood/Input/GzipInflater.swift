internal import CZlib

/// Inflates a gzip stream piece by piece: of one member or of several, one behind the other, as `cat a.gz b.gz` makes.
///
/// Zeros behind the last member are padding, as tapes and some block devices leave it; anything else is refused.
final class GzipInflater {
    /// What is wrong with the compressed bytes.
    struct Problem: Error {
        let message: String
        /// Where in the compressed input, in bytes from its start.
        let offset: Int
    }

    private enum Place { case inMember, betweenMembers, inPadding }

    /// At an address of its own, because zlib keeps a pointer to it.
    private let stream: UnsafeMutablePointer<z_stream>
    private var place = Place.inMember
    private var offset = 0

    /// Whether there may be more to inflate without further input: the last output was filled to its end.
    private(set) var holdsOutput = false

    init() {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        // 16 above the largest window: the format is gzip, with its header and its checksum.
        let result = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        precondition(result == Z_OK, "zlib can't be set up: error \(result)")
    }

    deinit {
        inflateEnd(stream)
        stream.deinitialize(count: 1)
        stream.deallocate()
    }

    /// Inflates from the front of `input` into `output`.
    ///
    /// - Returns: How many bytes of `input` were used up, and how many of `output` filled. When nothing was filled, all
    ///   input was used up, and nothing is held back.
    func inflate(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Problem) -> (used: Int, filled: Int) {
        var used = 0
        var filled = 0
        while used < input.count || holdsOutput, filled == 0 {
            if place == .betweenMembers {
                if input[used] == 0 {
                    place = .inPadding
                } else {
                    inflateReset(stream)
                    place = .inMember
                }
            }
            if place == .inPadding {
                guard let other = input[used...].firstIndex(where: { $0 != 0 }) else {
                    offset += input.count - used
                    return (input.count, 0)
                }
                throw Problem(message: "other bytes than gzip behind the end", offset: offset + other - used)
            }
            let rest = UnsafeRawBufferPointer(rebasing: input[used...])
            let step = try inflateMember(rest, into: output)
            used += step.used
            filled += step.filled
        }
        return (used, filled)
    }

    /// The input is at its end.
    ///
    /// - Throws: ``Problem`` if it ends in the middle of a member.
    func finish() throws(Problem) {
        if place == .inMember { throw Problem(message: "the gzip stream ends too early", offset: offset) }
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
        let room = Int(stream.pointee.avail_out)
        let result = CZlib.inflate(stream, Z_NO_FLUSH)
        let used = offered - Int(stream.pointee.avail_in)
        let filled = room - Int(stream.pointee.avail_out)
        offset += used
        holdsOutput = result == Z_OK && filled == room
        switch result {
        case Z_OK, Z_BUF_ERROR: break
        case Z_STREAM_END: place = .betweenMembers
        default:
            let detail = stream.pointee.msg.map { ": " + String(cString: $0) } ?? ""
            throw Problem(message: "the gzip stream is damaged\(detail)", offset: offset)
        }
        return (used, filled)
    }
}
