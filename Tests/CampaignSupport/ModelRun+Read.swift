internal import Heartwood

/// Reads, scans and snapshots, each compared with the model.
extension ModelRun {
    func name(_ key: Int) -> String {
        let bytes = model.universe.keys[key]
        let text =
            bytes.allSatisfy { (0x20..<0x7F).contains($0) }
            ? String(decoding: bytes.prefix(60), as: UTF8.self) : "\(bytes.prefix(20))"
        return "key \(key) (\(bytes.count) bytes: \(text))"
    }

    func read(_ form: ModelOperation.ReadForm, _ key: Int) async throws {
        let store = store!
        let bytes = model.universe.keys[key]
        let expected = model.state.visible(key)
        switch form {
        case .get: try compare(store.get(bytes), expected, key, "get")
        case .fetch: try await compare(store.fetch(bytes), expected, key, "fetch")
        case .entry: try compare(store.entry(bytes), expected, key, "entry")
        case .contains:
            let found = try store.contains(bytes)
            try check(found == (expected != nil), "contains of \(name(key)) is \(found)")
        case .withValue:
            let value = try store.withValue(bytes) { span in
                (0..<span.byteCount).map { span.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
            }
            try compare(value, expected, key, "withValue")
        }
    }

    func compare(_ found: [UInt8]?, _ expected: Model.Entry?, _ key: Int, _ what: String) throws {
        switch (found, expected) {
        case (nil, nil): return
        case (let found?, let expected?):
            try check(
                expected.value.matches(found),
                "\(what): \(name(key)) has \(found.count) bytes \(found.prefix(16))… that aren't the "
                    + "\(expected.value.length) bytes \(expected.value.bytes.prefix(16))… of write \(expected.sequence)"
            )
        case (let found?, nil):
            throw ModelFailure("\(what): \(name(key)) should be absent, and has \(found.count) bytes")
        case (nil, let expected?):
            throw ModelFailure(
                "\(what): \(name(key)) is missing; write \(expected.sequence) set it to \(expected.value.length) bytes")
        }
    }

    func compare(_ found: Entry?, _ expected: Model.Entry?, _ key: Int, _ what: String) throws {
        try compare(found?.value, expected, key, what)
        guard let found, let expected else { return }
        try check(found.key == model.universe.keys[key], "\(what): \(name(key)) came as \(found.key.prefix(40))")
        try check(
            found.sequence == expected.sequence,
            "\(what): \(name(key)) has number \(found.sequence) instead of \(expected.sequence)")
        let expiry = found.expires?.milliseconds ?? 0
        try check(
            expiry == expected.expiry, "\(what): \(name(key)) expires at \(expiry) instead of \(expected.expiry)")
    }

    // MARK: - Scans

    /// Walks over a range, of the store or of a snapshot, up to `limit` entries.
    func scan(
        _ form: ModelOperation.ScanForm, _ range: RangeChoice, reversed: Bool, limit: Int, in held: HeldSnapshot?
    ) async throws {
        let state = held?.state ?? model.state
        let positions = model.universe.positions(in: range)
        var expected = Walk(state: state, positions: positions, reversed: reversed)
        var count = 0
        let what = held == nil ? "a scan" : "a snapshot's scan"
        let keyRange = range.keyRange
        switch form {
        case .forEach:
            let body = { (entry: Entry) throws -> ScanDecision in
                let next = try expected.take("\(what) goes on where it should end, with \(entry.key.prefix(40))")
                try self.compare(entry, next.entry, next.key, what)
                count += 1
                return count < limit ? .next : .stop
            }
            if let held {
                try held.snapshot.forEach(in: keyRange, reversed: reversed, body)
            } else {
                try store!.forEach(in: keyRange, reversed: reversed, body)
            }
        case .keys:
            let keys = try held?.snapshot.keys(in: keyRange, reversed: reversed)
            for key in try keys ?? store!.keys(in: keyRange, reversed: reversed) {
                let next = try expected.take("\(what) of keys goes on where it should end, with \(key.prefix(40))")
                try check(
                    key == model.universe.keys[next.key], "\(what) has \(key.prefix(40)) instead of \(name(next.key))")
                count += 1
                if count == limit { break }
            }
        case .asynchronous:
            let scan = held?.snapshot.scan(keyRange, reversed: reversed)
            for try await (key, value) in scan ?? store!.scan(keyRange, reversed: reversed) {
                let next = try expected.take("\(what) goes on where it should end, with \(key.prefix(40))")
                try check(
                    key == model.universe.keys[next.key], "\(what) has \(key.prefix(40)) instead of \(name(next.key))")
                try compare(value, next.entry, next.key, what)
                count += 1
                if count == limit { break }
            }
        }
        if count < limit, let next = expected.next() {
            throw ModelFailure("\(what) of \(range) ends before \(name(next.key))")
        }
    }

    /// What a scan should show, entry by entry.
    private struct Walk {
        let state: Model.State
        var positions: Range<Int>
        let reversed: Bool

        mutating func next() -> (key: Int, entry: Model.Entry)? {
            while let key = reversed ? positions.popLast() : positions.popFirst() {
                if let entry = state.visible(key) { return (key, entry) }
            }
            return nil
        }

        mutating func take(_ otherwise: @autoclosure () -> String) throws -> (key: Int, entry: Model.Entry) {
            guard let next = next() else { throw ModelFailure(otherwise()) }
            return next
        }
    }

    // MARK: - Snapshots

    func takeSnapshot() throws {
        let snapshot = try store!.readView()
        let visible = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        try check(
            snapshot.sequence == visible, "a snapshot shows number \(snapshot.sequence) instead of \(visible)")
        if snapshots.count == 8 { snapshots.removeFirst() }
        snapshots.append(HeldSnapshot(snapshot: snapshot, state: model.state, sequence: snapshot.sequence))
    }

    func read(_ key: Int, in held: HeldSnapshot) throws {
        let bytes = model.universe.keys[key]
        let expected = held.state.visible(key)
        try compare(held.snapshot.entry(bytes), expected, key, "a snapshot at \(held.sequence)")
        try check(
            held.snapshot.contains(bytes) == (expected != nil), "a snapshot's contains of \(name(key)) is wrong")
    }
}
