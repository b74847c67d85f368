/// One verification: over the records of each repository, over the entries of its indexes, and over the keys that
/// belong to none. Used by one task.
///
/// Each page is judged in one view, together with what is looked up for it, so that what is written meanwhile is never
/// reported as damage. If the engine ends the view, the page is read again in a new one.
final class VerificationPass {
    /// What is done with each record, besides.
    typealias RecordCheck = (Entry, RecordEnvelope, CatalogueEntry) -> [RepositoryFinding]

    private let store: any ReadableKeyValueStore
    /// Whether records and entries are compared, not only counted.
    let isComparing: Bool
    let checkRecord: RecordCheck?
    private var view: (view: any KeyValueView, catalogue: Catalogue)?
    private(set) var result = RepositoryVerification()
    /// Entries of a page. Adapted to their size, and to how soon the engine ends views.
    private var pageSize = 128
    private static let mostPageEntries = 512
    private static let mostPageBytes = 4 << 20

    init(_ store: any ReadableKeyValueStore, isComparing: Bool, checkRecord: RecordCheck? = nil) {
        (self.store, self.isComparing, self.checkRecord) = (store, isComparing, checkRecord)
    }

    /// Verifies everything under the first byte of the typed layer.
    nonisolated(nonsending) func run() async throws(StoreError) {
        let catalogue = try await inView { (_, catalogue) async throws(StoreError) in catalogue }
        result.add(catalogue.problems.map(Self.finding))
        for entry in catalogue.entries { try await verify(entry.name) }
        try await walkStrayKeys(in: .prefix([KeyLayout.root]))
    }

    /// Verifies one repository.
    nonisolated(nonsending) func run(onlyOf name: String) async throws(StoreError) {
        let found = try await inView { (_, catalogue) async throws(StoreError) in catalogue.entry(named: name) }
        guard let entry = found else { throw .noCatalogueEntry(name) }
        try await verify(name)
        try await walkStrayKeys(in: entry.layout.range)
    }

    /// Counts, and compares nothing.
    nonisolated(nonsending) func count() async throws(StoreError) {
        let catalogue = try await inView { (_, catalogue) async throws(StoreError) in catalogue }
        if let problem = catalogue.problems.first(where: { $0.name != nil }) { throw problem.error }
        for entry in catalogue.entries { try await verify(entry.name) }
    }

    private static func finding(_ problem: Catalogue.Problem) -> RepositoryFinding {
        let cause = problem.error.cause == nil ? problem.error.message : "it doesn't decode"
        return RepositoryFinding(.unreadableCatalogue, cause, key: problem.key, repository: problem.name)
    }

    // MARK: - Views

    /// Calls `body` with a view and its catalogue; again with a new one if the engine has ended the view.
    private nonisolated(nonsending) func inView<R>(
        _ body: (any KeyValueView, Catalogue) async throws(StoreError) -> R
    ) async throws(StoreError) -> R {
        while true {
            if Task.isCancelled { throw StoreError(.cancelled, "the verification was cancelled: start it again") }
            do throws(StoreError) {
                let (view, catalogue) = try await currentView()
                return try await body(view, catalogue)
            } catch {
                guard error.code == .viewEnded else { throw error }
                view = nil
                pageSize = max(1, pageSize / 2)
            }
        }
    }

    private nonisolated(nonsending) func currentView() async throws(StoreError) -> (any KeyValueView, Catalogue) {
        if let view { return view }
        let new: any KeyValueView = try await store.readView()
        result.views += 1
        let catalogue = try await Catalogue.read(from: new)
        view = (new, catalogue)
        return (new, catalogue)
    }

    /// What one page has shown.
    struct Page {
        var entries: [Entry] = []
        var next: KeyRange?
        var findings: [RepositoryFinding] = []
        /// The entry of the repository in the catalogue of the view; nil if there is none any more.
        var repository: CatalogueEntry?
        var versions: [Int: Int] = [:]
    }

    /// Goes over a range of a repository, page by page.
    ///
    /// - Parameters:
    ///   - judge: Adds to the page what it shows.
    ///   - count: Called with each page once, when it was read completely.
    private nonisolated(nonsending) func walk(
        _ range: KeyRange, of name: String,
        _ judge: (inout Page, CatalogueEntry, any KeyValueView) async throws(StoreError) -> Void,
        count: (Page) -> Void
    ) async throws(StoreError) {
        var rest: KeyRange? = range
        while let range = rest {
            let page = try await inView { (view, catalogue) async throws(StoreError) in
                var page = Page()
                guard let entry = catalogue.entry(named: name) else { return page }
                let read = try await view.fetchEntries(in: range, reversed: false, limit: pageSize)
                (page.entries, page.next, page.repository) = (read.entries, read.next, entry)
                try await judge(&page, entry, view)
                return page
            }
            // It was removed, or made again: what follows isn't what was asked for.
            guard page.repository != nil else { return }
            result.add(page.findings)
            count(page)
            adapt(to: page.entries)
            rest = page.next
        }
    }

    private func adapt(to entries: [Entry]) {
        guard !entries.isEmpty else { return }
        let bytes = entries.reduce(0) { $0 + $1.key.count + $1.value.count }
        let fitting = Self.mostPageBytes / max(1, bytes / entries.count)
        pageSize = max(1, min(pageSize * 2, fitting, Self.mostPageEntries))
    }

    // MARK: - Repositories

    private nonisolated(nonsending) func verify(_ name: String) async throws(StoreError) {
        let found = try await inView { (_, catalogue) async throws(StoreError) in catalogue.entry(named: name) }
        guard let entry = found else { return }
        var figures = RepositoryFigures(entry)
        try await walk(entry.layout.records, of: name) { (page, repository, view) async throws(StoreError) in
            try await self.judgeRecords(&page, repository, view)
        } count: { page in
            figures.add(page)
        }
        // Lookups of records read whole records, so there are as many at once as fit.
        let average = figures.records == 0 ? 0 : figures.valueBytes / figures.records
        let lookups = max(1, min(Self.mostPageEntries, Self.mostPageBytes / max(1, average)))
        for position in figures.indexes.indices {
            let index = entry.indexes[position]
            pageSize = min(pageSize, lookups)
            try await walk(
                .prefix(entry.layout.entriesPrefix(index.number)), of: name
            ) { (page, repository, view) async throws(StoreError) in
                try await self.judgeEntries(&page, of: index.number, repository, view)
            } count: { page in
                figures.add(page, of: position)
                pageSize = min(pageSize, lookups / 2 + 1)
            }
        }
        result.repositories.append(figures)
    }

    // MARK: - Keys of no repository

    private nonisolated(nonsending) func walkStrayKeys(in range: KeyRange) async throws(StoreError) {
        var rest: KeyRange? = range
        while let range = rest {
            let (keys, next) = try await inView { (view, catalogue) async throws(StoreError) in
                let known = Self.known(catalogue)
                // A range that is known is passed over at once.
                let page = try await view.fetchEntries(in: range, reversed: false, limit: 1)
                guard let key = page.entries.first?.key else { return ([[UInt8]](), KeyRange?.none) }
                guard let prefix = known.first(where: { key.starts(with: $0) }) else { return ([key], page.next) }
                var next = range
                if case .excluded(let end) = KeyRange.prefix(prefix).upper { next.lower = .included(end) }
                return ([], next.isEmpty ? nil : next)
            }
            result.add(keys.map { RepositoryFinding(.strayKey, "it belongs to no repository and no index", key: $0) })
            rest = next
        }
    }

    private static func known(_ catalogue: Catalogue) -> [[UInt8]] {
        [KeyLayout.catalogue]
            + catalogue.entries.flatMap { entry in
                [entry.layout.recordPrefix] + entry.indexes.map { entry.layout.entriesPrefix($0.number) }
            }
    }
}

extension RepositoryFigures {
    fileprivate mutating func add(_ page: VerificationPass.Page) {
        records += page.entries.count
        for entry in page.entries {
            keyBytes += entry.key.count
            valueBytes += entry.value.count
        }
        versions.merge(page.versions) { $0 + $1 }
    }

    fileprivate mutating func add(_ page: VerificationPass.Page, of index: Int) {
        indexes[index].entries += page.entries.count
        for entry in page.entries {
            keyBytes += entry.key.count
            valueBytes += entry.value.count
            indexes[index].bytes += entry.key.count + entry.value.count
        }
    }
}
