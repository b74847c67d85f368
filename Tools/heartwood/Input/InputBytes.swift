/// The bytes of an input, inflated if they are gzip.
final class InputBytes {
    private static let pieceBytes = 256 << 10

    private let file: InputFile
    private let isStopped: () -> Bool
    private let raw: UnsafeMutableRawBufferPointer
    private let inflated: UnsafeMutableRawBufferPointer
    private var pending: Range<Int> = 0..<0
    /// Set if the first bytes are those of gzip: it begins with 0x1F, which no text does.
    private var inflater: GzipInflater?
    private var isFirst = true
    private var isAtEnd = false
    /// How many bytes of the file, compressed if it is, the bytes returned so far were made from. Bytes that were only
    /// read ahead don't count.
    private(set) var consumedBytes = 0

    /// - Parameter isStopped: Called before every wait. When it returns true, the input ends.
    init(_ file: InputFile, isStopped: @escaping () -> Bool) {
        self.file = file
        self.isStopped = isStopped
        raw = .allocate(byteCount: Self.pieceBytes, alignment: 16)
        inflated = .allocate(byteCount: Self.pieceBytes, alignment: 16)
    }

    deinit {
        raw.deallocate()
        inflated.deallocate()
    }

    /// Whether the input ended only because a stop was requested.
    var wasStopped: Bool { !isAtEnd && isStopped() }

    /// The next bytes, which are valid until the next call; empty at the end.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/badData`` or ``ExitStatus/inputOutput``.
    func next() throws(Failure) -> UnsafeRawBufferPointer {
        while true {
            if pending.isEmpty, inflater?.holdsOutput != true {
                if isAtEnd || isStopped() { return UnsafeRawBufferPointer(start: nil, count: 0) }
                pending = 0..<(try file.read(into: raw, unless: isStopped))
                if pending.isEmpty {
                    if isStopped() { continue }
                    isAtEnd = true
                    try finish()
                    continue
                }
                if isFirst, raw[0] == 0x1F { inflater = GzipInflater() }
                isFirst = false
            }
            let input = UnsafeRawBufferPointer(rebasing: raw[pending])
            guard let inflater else {
                pending = 0..<0
                consumedBytes += input.count
                return input
            }
            let step = try gzip { () throws(GzipInflater.Problem) in try inflater.inflate(input, into: inflated) }
            pending = pending.lowerBound + step.used..<pending.upperBound
            consumedBytes += step.used
            if step.filled > 0 { return UnsafeRawBufferPointer(rebasing: inflated[..<step.filled]) }
        }
    }

    private func finish() throws(Failure) {
        guard let inflater else { return }
        try gzip { () throws(GzipInflater.Problem) in try inflater.finish() }
    }

    private func gzip<R>(_ body: () throws(GzipInflater.Problem) -> R) throws(Failure) -> R {
        do {
            return try body()
        } catch {
            throw Failure(
                .badData,
                "\(file.name): \(error.message) (at byte \(Numbers.grouped(error.offset))): "
                    + "the lines before it are loaded; get the file again")
        }
    }
}
