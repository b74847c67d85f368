internal import Foundation

/// The files of a small store in memory, and copies of them with one byte changed.
struct DamagedFiles: Sendable {
    private struct File: Sendable {
        var name: String
        /// Without the zeros at its end, which are preallocated space.
        var bytes: [UInt8]
        var length: Int
        /// Whether its bytes may be changed.
        var isData: Bool
    }

    private let files: [File]
    private let changeable: Int

    /// - Parameter unimportant: Names of locks, and of logs for people.
    init(_ directory: String, except unimportant: [String]) throws {
        files = try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map { name in
            var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)")))
            let length = bytes.count
            bytes.removeLast(bytes.reversed().prefix { $0 == 0 }.count)
            return File(name: name, bytes: bytes, length: length, isData: !unimportant.contains(name))
        }
        changeable = files.reduce(0) { $0 + ($1.isData ? $1.bytes.count : 0) }
        guard changeable > 0 else { throw WrongResult("the store has no files") }
    }

    /// A change: one byte of a file, and the mask that it is combined with (exclusive or).
    struct Change: Sendable, Equatable {
        var file: Int
        var offset: Int
        var mask: UInt8
    }

    /// The change with that number. Each byte of all files is equally likely.
    func change(_ number: Int, seed: UInt64) -> Change {
        var random = SplitMix64(seed: seed ^ SplitMix64.mixed(UInt64(number)))
        var position = Int(random.next() % UInt64(changeable))
        let mask = UInt8(1 + random.next() % 255)
        for (index, file) in files.enumerated() where file.isData {
            if position < file.bytes.count { return Change(file: index, offset: position, mask: mask) }
            position -= file.bytes.count
        }
        preconditionFailure("the position is below the sum of the files")
    }

    /// Writes the files to an empty directory, with the change.
    func write(_ change: Change, to directory: String) throws {
        for (index, file) in files.enumerated() {
            var bytes = file.bytes
            if index == change.file { bytes[change.offset] ^= change.mask }
            let url = URL(fileURLWithPath: "\(directory)/\(file.name)")
            try Data(bytes).write(to: url)
            if file.length > bytes.count {
                let handle = try FileHandle(forWritingTo: url)
                try handle.truncate(atOffset: UInt64(file.length))
                try handle.close()
            }
        }
    }
}
