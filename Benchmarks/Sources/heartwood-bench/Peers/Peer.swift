/// An engine that Heartwood is compared with, by what its C library can do.
///
/// How each is set, and why, stands at the head of its file and, for all of them, in the README.
protocol Peer: AnyObject, Sendable {
    /// As in the names of workloads.
    static var id: String { get }
    /// As people call it.
    static var title: String { get }
    static var version: String { get }
    /// Whether several threads that write share syncs; where they only queue, one thread shows all there is.
    static var sharesSyncs: Bool { get }
    /// Whether it keeps what was put in a log that an opening replays.
    static var hasLog: Bool { get }
    /// Whether it is filled in the order of the keys: a B-tree that is filled in random order takes several times as
    /// long, and reads worse afterwards.
    static var isFilledInOrder: Bool { get }

    /// Opens the database of that directory, which is there; makes one where there is none.
    init(opening path: String, _ settings: PeerSettings) throws
    /// Puts one pair, as durably as the settings say.
    func put(_ key: [UInt8], _ value: [UInt8]) throws
    /// Puts what `body` adds, together.
    func putTogether(_ body: (_ add: (_ key: [UInt8], _ value: [UInt8]) throws -> Void) throws -> Void) throws
    /// Lends the value of a key to `body`; false where there is none.
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool
    /// Lends every pair, in the order of the keys, until `body` says false.
    ///
    /// - Parameter keysOnly: Whether values aren't asked for; what stands for them is the key.
    func scan(keysOnly: Bool, _ body: (_ key: RawSpan, _ value: RawSpan) -> Bool) throws
    /// Brings it into the shape in which it reads best.
    func settle() throws
    /// Closes it; nothing may be called afterwards.
    func close() throws
}

extension Peer {
    static var description: PeerDescription { PeerDescription(id: id, title: title, version: version) }
}

/// What differs between workloads; everything else is set once, in each peer's file.
struct PeerSettings: Sendable {
    /// Whether a put returns only once it is on the disk.
    var isSynced = false
    /// Whether as much as can be stays in the log while it is filled, so that the next opening has to replay it.
    var keepsLog = false
}

/// A call of a peer's library that failed.
struct PeerFailure: Error, CustomStringConvertible {
    let description: String

    init(_ peer: String, _ message: String) { description = "\(peer): \(message)" }
}

extension [UInt8] {
    /// Lends the elements as C's `char`.
    @inline(__always)
    func withCharacters<R>(_ body: (UnsafePointer<CChar>?, Int) throws -> R) rethrows -> R {
        try withUnsafeBytes { bytes in try body(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count) }
    }
}

/// Bytes that a library has lent.
@inline(__always)
func lent(_ start: UnsafeRawPointer?, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: start, count: count)
}
