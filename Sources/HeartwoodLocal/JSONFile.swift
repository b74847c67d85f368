internal import HeartwoodFileSystem
internal import HeartwoodFormat
internal import HeartwoodRepository
public import KeyValueStore

/// A JSON file of the pattern, read and checked: an array of items.
struct JSONFile {
    /// The version of the model that a file's items have: a program that kept them in a file had no versions.
    static let version = 1

    /// An item: its encoded id, and where it is in the file.
    typealias Item = (id: [UInt8], range: Range<Int>)

    let mark: ImportMarker.File
    let bytes: [UInt8]
    let items: [Item]

    /// The bytes of an item.
    func payload(_ item: Item) -> [UInt8] { Array(bytes[item.range]) }

    /// Whether a store has the items of this file, and nothing else.
    func has(_ contents: LocalContents) -> Bool {
        let sorted = items.sorted { KeyOrder.compare($0.id, $1.id) < 0 }
        return contents.undecodable.isEmpty
            && sorted.elementsEqual(contents.records) { item, record in
                item.id == record.id && record.version == Self.version && payload(item) == record.payload
            }
    }

    /// Reads a file whose items are to be imported. Blocks.
    ///
    /// - Returns: Nil if there is no file.
    /// - Throws: `.importFailed`.
    static func read(
        _ place: LocalPlace, _ model: any LocalModel, _ fileSystem: any FileSystem
    ) throws(StoreError) -> JSONFile? {
        guard let bytes = try bytes(of: place, fileSystem) else { return nil }
        guard let ranges = JSONItems.ranges(in: bytes) else {
            throw .importFailed(
                place.json, "the file is not one JSON array of items: restore it, or move it away to begin without it")
        }
        var items: [Item] = []
        var numbers: [[UInt8]: Int] = [:]
        items.reserveCapacity(ranges.count)
        for (number, range) in ranges.enumerated() {
            let id = try id(of: Array(bytes[range]), number, place, model)
            if number == 0, try self.id(of: Array(bytes[range]), number, place, model) != id {
                throw .importFailed(
                    place.json,
                    "an item has another id each time it is decoded: declare the id with 'var' or without an initial "
                        + "value (a 'let' with one isn't decoded)")
            }
            if let other = numbers.updateValue(number, forKey: id) {
                throw .importFailed(
                    place.json,
                    "the items \(other) and \(number) of the array, counted from 0, have the same id "
                        + "\(TupleValue.one(in: id)): remove one of them from the file")
            }
            items.append((id, range))
        }
        return JSONFile(mark: mark(bytes, place), bytes: bytes, items: items)
    }

    private static func id(
        of item: [UInt8], _ number: Int, _ place: LocalPlace, _ model: any LocalModel
    ) throws(StoreError) -> [UInt8] {
        do throws(StoreError) {
            return try model.id(of: item.span.bytes, version: version, key: [])
        } catch {
            throw .importFailed(
                place.json,
                "item \(number) of the array, counted from 0, doesn't decode: correct the type, add a migration from "
                    + "version 1, or correct the file",
                error.cause ?? error)
        }
    }

    /// The content of the file, as a marker has it. Blocks.
    ///
    /// - Returns: Nil if there is no file.
    /// - Throws: `.importFailed` if it can't be read.
    static func mark(of place: LocalPlace, _ fileSystem: any FileSystem) throws(StoreError) -> ImportMarker.File? {
        try bytes(of: place, fileSystem).map { mark($0, place) }
    }

    private static func mark(_ bytes: [UInt8], _ place: LocalPlace) -> ImportMarker.File {
        ImportMarker.File(name: place.filename, bytes: bytes.count, checksum: CRC32C.checksum(bytes))
    }

    private static func bytes(of place: LocalPlace, _ fileSystem: any FileSystem) throws(StoreError) -> [UInt8]? {
        do throws(FileSystemError) {
            guard try fileSystem.kind(of: place.json) != nil else { return nil }
            let file = try fileSystem.openFile(place.json, for: .read)
            let size = Int(clamping: try file.size())
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try bytes.withUnsafeMutableBytes { buffer in
                Result { () throws(FileSystemError) in try file.readFully(into: buffer, at: 0) }
            }.get()
            bytes.removeLast(bytes.count - count)
            return bytes
        } catch {
            throw .importFailed(
                place.json, "the file can't be read: give this user access to it, or look at the disk", error)
        }
    }
}

/// The errors of local repositories.
extension StoreError.Code {
    /// A JSON file could not be imported: it can't be read or isn't an array of items, two items have one id, or it is
    /// gone although its import was interrupted. The file and the store are unchanged.
    public static let importFailed = StoreError.Code("importFailed")
    /// A JSON file is beside a store that doesn't import it. Both are left as they are.
    public static let fileIgnored = StoreError.Code("fileIgnored")
}

extension StoreError {
    static func importFailed(_ file: String, _ what: String, _ cause: (any Error)? = nil) -> StoreError {
        StoreError(.importFailed, what, file: file, cause: cause)
    }
}
