import Heartwood

/// Jobs that each are done by one worker, in the order of their names.
struct Jobs {
    let store: Store

    func add(_ name: String, _ work: String) async throws {
        try await store.put("todo:\(name)", work, if: .absent)
    }

    /// The next job, which is this caller's alone; nil where there is none.
    func claim() async throws -> (name: String, work: String)? {
        for key in try store.keys(in: .prefix("todo:")) {
            let name = String(decoding: key.dropFirst("todo:".utf8.count), as: UTF8.self)
            let work = try await store.transaction { transaction -> [UInt8]? in
                // Another worker may have been faster: then to the next one.
                guard let work = try await transaction.fetch(key) else { return nil }
                try transaction.remove(key)
                try transaction.put("running:\(name)", work)
                return work
            }.value
            if let work { return (name, String(decoding: work, as: UTF8.self)) }
        }
        return nil
    }

    func finish(_ name: String) async throws {
        try await store.remove("running:\(name)")
    }

    /// After a restart: what was running is to be done again.
    func putBack() async throws {
        try await store.transaction { transaction in
            for job in try transaction.entries(in: .prefix("running:")) {
                try transaction.remove(job.key)
                try transaction.put(Array("todo:".utf8) + job.key.dropFirst("running:".utf8.count), job.value)
            }
        }
    }
}
