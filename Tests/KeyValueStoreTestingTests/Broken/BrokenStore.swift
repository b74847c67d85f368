import KeyValueStore
import KeyValueStoreTesting

/// A store that keeps all promises but one. Without a fault it only passes calls on.
final class BrokenStore: KeyValueStore, LendingReader {
    let inner: ConstrainedStore
    let fault: Fault?
    private let start: ConstrainedStore.View

    init(_ fault: Fault?, clock: TestClock) async throws(StoreError) {
        (self.fault, inner) = (fault, ConstrainedStore(clock: { clock.now() }))
        start = try await inner.readView()
    }

    var limits: KeyValueLimits { inner.limits }
    var now: Timestamp { fault == .clockIsLate ? Timestamp(milliseconds: 1) : inner.now }
    private var reads: BrokenReads<ConstrainedStore> { BrokenReads(inner, fault) }

    func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? { try await reads.fetchEntry(key) }

    func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        try await reads.fetchEntries(of: keys)
    }

    func lendEntry(
        _ key: [UInt8], to body: (RawSpan, SequenceNumber, Timestamp?) -> Void
    ) async throws(StoreError) -> Bool {
        guard let entry = try await fetchEntry(key) else { return false }
        for _ in 0..<(fault == .lendsTwice ? 2 : 1) { body(entry.value.span.bytes, entry.sequence, entry.expires) }
        return true
    }

    func fetchEntries(in range: KeyRange, reversed: Bool, limit: Int) async throws(StoreError) -> EntryPage {
        try await reads.fetchEntries(in: range, reversed: reversed, limit: limit)
    }

    func fetchCount(in range: KeyRange) async throws(StoreError) -> Int { try await reads.fetchCount(in: range) }

    func readView() async throws(StoreError) -> View {
        View(self, fault == .showsOldView ? start : try await inner.readView())
    }

    func readView(for purpose: ViewPurpose) async throws(StoreError) -> View {
        guard purpose == .observation else { return try await readView() }
        return View(self, fault == .observesOldView ? start : try await inner.readView(for: purpose))
    }

    func changes(after position: ChangePosition?, in range: KeyRange, level: ChangeLevel) -> Changes {
        var position = position
        switch fault {
        case .beginsAtStart: position = position ?? start.position
        case .repeatsPosition:
            position = position.map { .init(store: $0.store, sequence: $0.sequence - min(1, $0.sequence)) }
        case .followsOtherStores: position?.store = inner.id
        default: break
        }
        let isUnfiltered = fault == .marksBeforeFilter
        let changes = inner.changes(after: position, in: isUnfiltered ? .all : range, level: level)
        return Changes(inner: changes, store: inner, range: isUnfiltered ? range : nil, fault: fault)
    }

    /// A view with the same fault.
    final class View: KeyValueView {
        let inner: ConstrainedStore.View
        let store: BrokenStore

        init(_ store: BrokenStore, _ inner: ConstrainedStore.View) { (self.store, self.inner) = (store, inner) }

        private var reads: BrokenReads<ConstrainedStore.View> { BrokenReads(inner, store.fault) }
        private var hasMoment: Bool { store.fault != .forgetsMoment }

        var position: ChangePosition {
            let position = inner.position
            return store.fault == .wrongPosition ? ChangePosition(store: position.store, sequence: 0) : position
        }

        func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
            try await hasMoment ? reads.fetchEntry(key) : store.fetchEntry(key)
        }

        func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
            try await hasMoment ? reads.fetchEntries(of: keys) : store.fetchEntries(of: keys)
        }

        func fetchEntries(in range: KeyRange, reversed: Bool, limit: Int) async throws(StoreError) -> EntryPage {
            try await hasMoment
                ? reads.fetchEntries(in: range, reversed: reversed, limit: limit)
                : store.fetchEntries(in: range, reversed: reversed, limit: limit)
        }

        func fetchNextExpiry(in range: KeyRange) async throws(StoreError) -> Timestamp? {
            let range = store.fault == .expiresAnywhere ? .all : range
            return try await inner.fetchNextExpiry(in: range)
        }

        func fetchKeys(in range: KeyRange, limit: Int) async throws(StoreError) -> [[UInt8]] {
            let view = store.fault == .readsNewKeys ? try await store.inner.readView() : inner
            let isMore = store.fault == .readsOneKeyTooMany && limit < .max
            return try await view.fetchKeys(in: range, limit: isMore ? limit + 1 : limit)
        }

        func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
            try await hasMoment ? reads.fetchCount(in: range) : store.fetchCount(in: range)
        }
    }
}

/// Reads that break a promise.
struct BrokenReads<Reader: KeyValueReader> {
    private let reader: Reader
    private let fault: Fault?

    init(_ reader: Reader, _ fault: Fault?) { (self.reader, self.fault) = (reader, fault) }

    nonisolated(nonsending) func fetchEntry(_ key: [UInt8]) async throws(StoreError) -> Entry? {
        if fault == .acceptsEmptyKey && key.isEmpty { return nil }
        return try await reader.fetchEntry(key)
    }

    nonisolated(nonsending) func fetchEntries(of keys: [[UInt8]]) async throws(StoreError) -> [Entry?] {
        switch fault {
        case .readsKeysOneByOne:
            var entries: [Entry?] = []
            for key in keys { entries.append(try await reader.fetchEntry(key)) }
            return entries
        case .omitsRepeatedKeys:
            let once = keys.enumerated().filter { keys.firstIndex(of: $0.element) == $0.offset }.map(\.element)
            return try await reader.fetchEntries(of: once)
        default:
            return try await reader.fetchEntries(of: keys)
        }
    }

    nonisolated(nonsending) func fetchEntries(
        in range: KeyRange, reversed: Bool, limit: Int
    ) async throws(StoreError) -> EntryPage {
        let range = changed(range)
        switch fault {
        case .ignoresReverse:
            return try await reader.fetchEntries(in: range, reversed: false, limit: limit)
        case .losesNextPage:
            var page = try await reader.fetchEntries(in: range, reversed: reversed, limit: limit)
            page.next = nil
            return page
        case .shortPages:
            return try await reader.fetchEntries(in: range, reversed: reversed, limit: min(limit, 5))
        case .acceptsEmptyPage where limit < 1:
            return EntryPage(entries: [], next: nil)
        case .readsPageOneByOne where limit >= 1:
            var page = EntryPage(entries: [], next: range)
            while let rest = page.next, page.entries.count < limit {
                let part = try await reader.fetchEntries(in: rest, reversed: reversed, limit: 1)
                page = EntryPage(entries: page.entries + part.entries, next: part.next)
            }
            return page
        default:
            return try await reader.fetchEntries(in: range, reversed: reversed, limit: limit)
        }
    }

    nonisolated(nonsending) func fetchCount(in range: KeyRange) async throws(StoreError) -> Int {
        let count = try await reader.fetchCount(in: changed(range))
        return fault == .countsOneTooMany && count > 2 ? count + 1 : count
    }

    private func changed(_ range: KeyRange) -> KeyRange {
        var range = range
        switch (fault, range.upper, range.lower) {
        case (.includesExcludedBound, .excluded(let key), _): range.upper = .included(key)
        case (.excludesIncludedBound, _, .included(let key)): range.lower = .excluded(key)
        default: break
        }
        return range
    }
}
