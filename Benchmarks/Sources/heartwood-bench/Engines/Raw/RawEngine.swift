internal import Synchronization

/// The physical limit of the same work: system calls and copies only. An engine can exceed it much only if its writers
/// share work that these threads do alone.
struct RawEngine: Engine {
    var runsOnThreads: Bool { true }

    var info: EngineInfo {
        EngineInfo(
            .raw, "raw", version: "",
            settings: """
                Where a write survives power loss: each thread appends key and value to a file of zeros (pwrite) and \
                waits for the disk (fdatasync) alone.
                Where a write survives process death: pwrite alone. Where writes may be lost with the process: a \
                copy in memory.
                Reads: pread of the value from a file of values, found by its number; scans in pieces of 64 KiB.
                It keeps no order and can't find keys, so writes aren't compared with what was put.
                """)
    }

    func open(at path: String, for use: EngineUse) async throws -> RawDatabase { RawDatabase(path, use) }
}

/// A file for writes, and a file of values for reads.
final class RawDatabase: Database {
    /// Size of the file for writes. At its end, writing continues at the start, which costs the same.
    static let ringBytes = 64 << 20

    private let use: EngineUse
    /// The files are created on first use.
    private let path: String
    private let ring = Mutex<RawFile?>(nil)
    private let nextSession = Atomic<Int>(0)

    init(_ path: String, _ use: EngineUse) {
        self.path = path
        self.use = use
    }

    func session() throws -> RawSession {
        let number = nextSession.add(1, ordering: .relaxed).oldValue
        let values = try RawValues(opening: RawValues.path(in: path))
        let file = try ring.withLock { file in
            if !use.onlyReads, use.promise != .mayLoseLastMoments, file == nil {
                file = try RawFile(zeros: Self.ringBytes, at: "\(path)/ring")
            }
            return file
        }
        return RawSession(file, values, number: number, use)
    }

    func compactAll() async throws {}
    func close() async throws {}
}

/// A thread's session.
///
/// - Note: `@unchecked`: used by one thread at a time.
final class RawSession: Session, @unchecked Sendable {
    /// Bytes of the ring that belong to one thread; 4,096 threads share the ring.
    private static let pieceBytes = 16 << 10

    private let file: RawFile?
    private let values: RawValues?
    private let promise: Promise
    private let start: Int
    private let length: Int
    private var offset = 0
    private var buffer: [UInt8] = []
    private var memory: [UInt8] = []

    init(_ file: RawFile?, _ values: RawValues?, number: Int, _ use: EngineUse) {
        self.file = file
        self.values = values
        promise = use.promise
        // The first session uses the whole ring, since there is often only one.
        start = number * Self.pieceBytes % RawDatabase.ringBytes
        length = number == 0 ? RawDatabase.ringBytes : Self.pieceBytes
        if !use.onlyReads, use.promise == .mayLoseLastMoments {
            memory = [UInt8](repeating: 0, count: RawDatabase.ringBytes)
        }
    }

    @inline(__always)
    func put(_ key: [UInt8], _ value: [UInt8]) throws {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: key)
        buffer.append(contentsOf: value)
        try append()
    }

    func remove(_ key: [UInt8]) throws {
        buffer.removeAll(keepingCapacity: true)
        buffer.append(contentsOf: key)
        try append()
    }

    func write(_ fill: (_ add: PairAdder) throws -> Void) throws {
        buffer.removeAll(keepingCapacity: true)
        try fill { key, value in
            buffer.append(contentsOf: key)
            buffer.append(contentsOf: value)
        }
        try append()
    }

    private func append() throws {
        if offset + buffer.count > max(length, buffer.count) { offset = 0 }
        defer { offset += buffer.count }
        guard let file else {
            memory.withUnsafeMutableBytes { memory in
                buffer.withUnsafeBytes {
                    memory.baseAddress?.advanced(by: offset).copyMemory(from: $0.baseAddress!, byteCount: $0.count)
                }
            }
            return
        }
        try buffer.withUnsafeBytes { try file.write($0[...], at: start + offset) }
        if promise == .survivesPowerLoss { try file.sync() }
    }

    @inline(__always)
    func get(_ key: [UInt8], _ body: (RawSpan) -> Void) throws -> Bool {
        guard let values else { return false }
        return try values.read(key.withUnsafeBytes { values.keys.number(of: $0.bytes) }, body)
    }

    func scan(from key: [UInt8]?, _ visit: PairVisitor) throws {
        guard let values else { return }
        let first = key.map { key in key.withUnsafeBytes { values.keys.number(of: $0.bytes) } }
        try values.scan(from: first ?? 0, visit)
    }

    func scanBackwards(_ visit: PairVisitor) throws {
        try values?.scanBackwards(visit)
    }
}
