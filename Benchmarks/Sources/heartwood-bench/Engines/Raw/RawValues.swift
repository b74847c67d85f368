internal import Foundation

/// A file of keys and values of equal sizes, in the order of their numbers. For one thread.
final class RawValues {
    private static let pieceBytes = 64 << 10

    private let file: RawFile
    private let count: Int
    let keys: KeySource
    private let valueBytes: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var recordBytes: Int { Dataset.keyBytes + valueBytes }

    /// Opens the file; nil if there is none.
    init?(opening path: String) throws {
        guard access(path, F_OK) == 0 else { return nil }
        let file = try RawFile(reading: path)
        var header = [UInt64](repeating: 0, count: 2)
        try header.withUnsafeMutableBytes { try file.read(into: $0, at: 0) }
        self.file = file
        count = Int(header[0])
        keys = KeySource(count: count)
        valueBytes = Int(header[1])
        buffer = .allocate(byteCount: max(Self.pieceBytes, Dataset.keyBytes + valueBytes), alignment: 16)
    }

    deinit { buffer.deallocate() }

    /// The path of the file in a directory.
    static func path(in directory: String) -> String { "\(directory)/values" }

    /// Writes a file of all pairs of the data.
    static func write(_ data: Dataset, to path: String) throws {
        let file = try RawFile(zeros: 0, at: path)
        let header = [UInt64(data.keyCount), UInt64(data.valueBytes)]
        try header.withUnsafeBytes { try file.write($0[...], at: 0) }
        let keys = data.keys()
        var key = keys.makeBuffer()
        var piece: [UInt8] = []
        var offset = 16
        for number in 0..<data.keyCount {
            keys.write(number, to: &key)
            piece += key
            piece += data.value(number)
            guard piece.count >= 1 << 20 || number == data.keyCount - 1 else { continue }
            try piece.withUnsafeBytes { try file.write($0[...], at: offset) }
            offset += piece.count
            piece.removeAll(keepingCapacity: true)
        }
        try file.sync()
    }

    @inline(__always)
    func read(_ number: Int, _ body: (RawSpan) -> Void) throws -> Bool {
        guard number >= 0, number < count else { return false }
        let offset = 16 + number * recordBytes + Dataset.keyBytes
        try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<valueBytes]), at: offset)
        body(UnsafeRawBufferPointer(rebasing: buffer[..<valueBytes]).bytes)
        return true
    }

    func scan(from start: Int, _ visit: PairVisitor) throws {
        let step = max(1, buffer.count / recordBytes)
        for first in stride(from: start, to: count, by: step) {
            try load(first, min(step, count - first))
            for index in 0..<min(step, count - first) {
                guard lend(index, visit) else { return }
            }
        }
    }

    func scanBackwards(_ visit: PairVisitor) throws {
        let step = max(1, buffer.count / recordBytes)
        var end = count
        while end > 0 {
            let first = max(0, end - step)
            try load(first, end - first)
            for index in (0..<end - first).reversed() {
                guard lend(index, visit) else { return }
            }
            end = first
        }
    }

    private func load(_ first: Int, _ number: Int) throws {
        let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<(number * recordBytes)])
        try file.read(into: piece, at: 16 + first * recordBytes)
    }

    @inline(__always)
    private func lend(_ index: Int, _ visit: PairVisitor) -> Bool {
        let record = UnsafeRawBufferPointer(rebasing: buffer[index * recordBytes..<(index + 1) * recordBytes])
        return visit(
            UnsafeRawBufferPointer(rebasing: record[..<Dataset.keyBytes]).bytes,
            UnsafeRawBufferPointer(rebasing: record[Dataset.keyBytes...]).bytes)
    }
}
