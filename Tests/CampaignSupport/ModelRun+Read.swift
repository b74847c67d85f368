internal import Heartwood

/// Reads, scans and read views, each compared with the model.
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
        case .fetchEntry: try await compare(store.fetchEntry(bytes), expected, key, "fetchEntry")
        case .contains:
            let found = try store.contains(bytes)
            try expect(found == (expected != nil), "contains of \(name(key)) is \(found)")
        case .withEntry:
            let entry = try store.withEntry(bytes) { value, sequence, expires in
                Entry(key: bytes, value: value.withUnsafeBytes { [UInt8]($0) }, sequence: sequence, expires: expires)
            }
            try compare(entry, expected, key, "withEntry")
        }
    }

    func compare(_ found: [UInt8]?, _ expected: Model.Entry?, _ key: Int, _ what: String) throws {
        switch (found, expected) {
        case (nil, nil): return
        case (let found?, let expected?):
            try expect(
                expected.value.matches(found),
                "\(what): \(name(key)) has \(found.count) bytes \(found.prefix(16))… that aren't the "
                    + "\(expected.value.length) bytes \(expected.value.bytes.prefix(16))… of write \(expected.sequence)"
            )
        case (let found?, nil):
            throw Violation("\(what): \(name(key)) should be absent, and has \(found.count) bytes")
        case (nil, let expected?):
            throw Violation(
                "\(what): \(name(key)) is missing; write \(expected.sequence) set it to \(expected.value.length) bytes")
        }
    }

    func compare(_ found: Entry?, _ expected: Model.Entry?, _ key: Int, _ what: String) throws {
        try compare(found?.value, expected, key, what)
        guard let found, let expected else { return }
        try expect(found.key == model.universe.keys[key], "\(what): \(name(key)) came as \(found.key.prefix(40))")
        try expect(
            found.sequence == expected.sequence,
            "\(what): \(name(key)) has number \(found.sequence) instead of \(expected.sequence)")
        let expiry = found.expires?.milliseconds ?? 0
        try expect(
            expiry == expected.expiry, "\(what): \(name(key)) expires at \(expiry) instead of \(expected.expiry)")
    }

    // MARK: - Scans

    /// Scans up to `limit` entries of a range of the store, or of a read view.
    func scan(
        _ form: ModelOperation.ScanForm, _ range: RangeChoice, reversed: Bool, limit: Int, in held: ModelView?
    ) async throws {
        let state = held?.state ?? model.state
        let positions = model.universe.positions(in: range)
        var expected = Walk(state: state, positions: positions, reversed: reversed)
        var count = 0
        let what = held == nil ? "a scan" : "a read view's scan"
        let keyRange = range.keyRange
        func take(_ key: [UInt8]) throws -> (key: Int, entry: Model.Entry) {
            guard let next = expected.next() else {
                throw Violation("\(what) (\(form)) continues where it should end, with \(key.prefix(40))")
            }
            try expect(
                key == model.universe.keys[next.key],
                "\(what) (\(form)) has \(key.prefix(40)) instead of \(name(next.key))")
            count += 1
            return next
        }
        // The limit is the scan's or the loop's.
        func scan(limit: Int = .max) throws -> Scan {
            try (held?.view ?? store!.readView()).scan(keyRange, reversed: reversed, limit: limit)
        }
        switch form {
        case .forEach:
            let body = { (entry: Entry) throws -> ScanDecision in
                let next = try take(entry.key)
                try self.compare(entry, next.entry, next.key, what)
                return count < limit ? .next : .stop
            }
            try scan().forEachEntry(body)
        case .keys:
            for key in try scan(limit: limit).keys { _ = try take(key) }
        case .asynchronous:
            for try await entry in try scan(limit: limit) {
                let next = try take(entry.key)
                try compare(entry, next.entry, next.key, what)
            }
        case .pages, .fetchedPages:
            let view = try held?.view ?? store!.readView()
            var rest: KeyRange? = keyRange
            while let range = rest, count < limit {
                let size = limit - count > 100 ? 100 : limit - count
                let page =
                    form == .pages
                    ? try view.entries(in: range, reversed: reversed, limit: size)
                    : try await view.fetchEntries(in: range, reversed: reversed, limit: size)
                for entry in page.entries {
                    let next = try take(entry.key)
                    try compare(entry, next.entry, next.key, what)
                }
                rest = page.next
                try expect(page.entries.count == size || rest == nil, "\(what) has a page that isn't full")
            }
        case .count:
            let found = try scan().count()
            while expected.next() != nil { count += 1 }
            try expect(found == count, "\(what) counts \(found) keys of \(range) instead of \(count)")
        }
        if count < limit, let next = expected.next() {
            throw Violation("\(what) of \(range) ends before \(name(next.key))")
        }
    }

    /// The entries that a scan must show.
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
    }

    // MARK: - Read views

    func takeReadView() throws {
        let view = try store!.readView()
        let visible = model.firstOfOpening == nil ? visibleAtOpening : model.lastSequence
        try expect(view.sequence == visible, "a read view shows number \(view.sequence) instead of \(visible)")
        if views.count == 8 { views.removeFirst() }
        views.append(ModelView(view: view, state: model.state, sequence: view.sequence))
    }

    func read(_ key: Int, in held: ModelView) throws {
        let bytes = model.universe.keys[key]
        let expected = held.state.visible(key)
        try compare(held.view.entry(bytes), expected, key, "a read view at \(held.sequence)")
        try expect(
            held.view.contains(bytes) == (expected != nil), "a read view's contains of \(name(key)) is wrong")
    }
}
