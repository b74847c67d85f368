internal import Heartwood
internal import HeartwoodFileSystem
internal import HeartwoodInspection
internal import HeartwoodRepository

/// What the keys of repositories stand for, instead of their bytes. All commands show keys by it.
///
/// It learns from the entries of the catalogue that it is given, in any order. A number is never given to another
/// repository or index, so also an older entry names keys rightly. Without an entry, keys are shown as bytes.
struct StoredKeyText {
    /// A hostile store may have any number of entries, of any size.
    private static let (mostRepositories, mostBytes) = (10_000, 1 << 20)

    /// By their numbers; with indexes that only an older entry has.
    private(set) var repositories: [Int: CatalogueEntry] = [:]
    private var sequences: [Int: SequenceNumber] = [:]

    init() {}

    /// Reads the catalogue of a store as far as that is possible.
    init(_ view: ReadView) {
        try? view.forEachEntry(in: .prefix(KeyLayout.catalogue)) { read in
            note(read.entry.key, read.entry.value, read.entry.sequence)
            return .next
        }
    }

    /// What some keys stand for, by the files of a store. Reads these only if a key is one of a repository.
    init(naming keys: some Sequence<[UInt8]>, filesAt path: String) {
        if keys.contains(where: { $0.first == KeyLayout.root }) { read(filesAt: path) }
    }

    /// What the keys of a survey stand for. Reads the files again if they have repositories.
    init(namingKeysOf survey: StoreSurvey) {
        let keys = survey.findings.lazy.flatMap { $0.keys + $0.perhapsKeys }
        self.init(naming: (survey.totals.prefixes?.sections ?? []).map(\.prefix) + keys, filesAt: survey.path)
    }

    /// Reads the catalogue from the files of a store, which needn't open.
    ///
    /// - Parameter path: A directory; or one of its files, and then what precedes the file, and the file.
    mutating func read(filesAt path: String) {
        var filter = LogFilter()
        filter.noted = KeyLayout.catalogue
        filter.kinds = []
        let isFile = (try? POSIXFileSystem().kind(of: path)) != .directory
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let directory = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "."
        for place in isFile ? [directory, path] : [path] {
            _ = try? LogReading.run(place, filter) { item in
                if case .noted(let record) = item { note(record.key, record.value, record.sequence) }
                if place == directory, case .file(let file, _) = item { return !file.hasSuffix("/\(parts.last ?? "")") }
                return true
            }
        }
    }

    /// Learns an entry of the catalogue; other keys say nothing.
    mutating func note(_ key: [UInt8], _ value: [UInt8]?, _ sequence: SequenceNumber) {
        guard key.starts(with: KeyLayout.catalogue), let value, value.count <= Self.mostBytes,
            var entry = try? CatalogueEntry(bytes: value), KeyLayout.catalogueKey(entry.name) == key
        else { return }
        if var known = repositories[entry.number] {
            if sequence < sequences[entry.number] ?? 0 { swap(&known, &entry) }
            let numbers = Set(entry.indexes.map(\.number))
            entry.indexes += known.indexes.filter { !numbers.contains($0.number) }
        } else if repositories.count == Self.mostRepositories {
            return
        }
        repositories[entry.number] = entry
        sequences[entry.number] = max(sequence, sequences[entry.number] ?? 0)
    }

    // MARK: - Keys

    /// A key and its value as parts of a line; nil if the key isn't one of a known repository. The value of an index
    /// entry, the id, is a part of the key's text.
    func parts(_ key: [UInt8], _ value: [UInt8]?) -> (key: String, value: [UInt8]?)? {
        guard let stored = StoredKey(key, in: repositories) else { return nil }
        let text = value.map { JSONLine.of($0) ?? Array(Escaping.text($0).utf8) }
        switch stored {
        case .nextNumber:
            let number = value.map { Escaping.line(TupleValue.one(in: $0).description) }
            return ("catalogue, next number", number.map { Array($0.utf8) })
        case .catalogue(let name): return ("catalogue, \(Escaping.line(name))", text)
        case .progress(let name): return ("catalogue, progress of \(Escaping.line(name))", text)
        case .imported(let name): return ("catalogue, import of \(Escaping.line(name))", text)
        case .record(let entry, let id):
            let model = value.map { Self.payload($0, entry)?.line ?? Array(Escaping.text($0).utf8) }
            return ("\(Escaping.line(entry.name)), record \(RecordID(id, entry).text)", model)
        case .index(let entry, let index, let values, let id):
            let list = TupleValue.all(in: values).map { Escaping.line($0.description) }.joined(separator: ", ")
            let name = "\(Escaping.line(entry.name)), index \(Escaping.line(index.name)) (\(list))"
            guard let id = id ?? value else { return (name, nil) }
            return ("\(name), record \(RecordID(id, entry).text)", nil)
        }
    }

    /// A key in one line: what it stands for, or escaped.
    func text(_ key: [UInt8]) -> String { parts(key, nil)?.key ?? Escaping.text(key) }

    /// Adds to an object what its key stands for.
    func add(_ key: [UInt8], _ value: [UInt8]?, to json: inout JSONText) {
        switch StoredKey(key, in: repositories) {
        case nil: return
        case .nextNumber: json.add("catalogue", "nextNumber")
        case .catalogue(let name): json.add("catalogue", "repository", of: name)
        case .progress(let name): json.add("catalogue", "progress", of: name)
        case .imported(let name): json.add("catalogue", "import", of: name)
        case .record(let entry, let id):
            json.add("repository", entry.name)
            json.add(json: "id", RecordID(id, entry).json)
        case .index(let entry, let index, let values, let id):
            json.add("repository", entry.name)
            json.add("index", index.name)
            json.add(json: "values", JSONLine.of(.tuple(TupleValue.all(in: values))))
            if let id = id ?? value { json.add(json: "id", RecordID(id, entry).json) }
        }
    }

    /// A part of the typed layer, by the bytes that all of its keys begin with; nil if there is no such part.
    func groupName(_ prefix: [UInt8]) -> String? {
        func name(_ number: Int) -> String {
            repositories[number].map { Escaping.line($0.name) } ?? "(repository \(number))"
        }
        switch StoredKeyGroup(prefix: prefix) {
        case nil: return nil
        case .catalogue: return "catalogue"
        case .records(let repository): return "\(name(repository)), records"
        case .entries(let repository, let index):
            let named = repositories[repository]?.indexes.first { $0.number == index }
            return "\(name(repository)), index \(named.map { Escaping.line($0.name) } ?? "(number \(index))")"
        }
    }

    /// Adds to an object what a prefix of keys stands for.
    func add(group prefix: [UInt8], to json: inout JSONText) {
        guard let name = groupName(prefix) else { return }
        json.add("part", name)
        switch StoredKeyGroup(prefix: prefix) {
        case .records(let number)?:
            if let entry = repositories[number] { json.add("repository", entry.name) }
        case .entries(let number, let index)?:
            guard let entry = repositories[number] else { return }
            json.add("repository", entry.name)
            if let named = entry.indexes.first(where: { $0.number == index }) { json.add("index", named.name) }
        case .catalogue?, nil: break
        }
    }

    // MARK: - Values

    /// The model of a record; nil if the key isn't that of one, or the value has no head.
    func payload(_ key: [UInt8], _ value: [UInt8]) -> Payload? {
        guard case .record(let entry, _) = StoredKey(key, in: repositories) else { return nil }
        return Self.payload(value, entry)
    }

    /// Where text begins in a value that may be JSON: after the head of a record, and elsewhere at its start; nil in a
    /// record of another coder.
    func textStart(_ key: [UInt8], _ value: [UInt8]) -> Int? {
        guard case .record(let entry, _) = StoredKey(key, in: repositories) else { return 0 }
        return entry.coder == "json" ? try? RecordEnvelope.head(value.span.bytes).payload : nil
    }

    private static func payload(_ value: [UInt8], _ entry: CatalogueEntry) -> Payload? {
        guard let (_, start) = try? RecordEnvelope.head(value.span.bytes) else { return nil }
        return Payload(value[start...], of: entry.coder)
    }
}

extension JSONText {
    fileprivate mutating func add(_ name: String, _ value: String, of repository: String) {
        add(name, value)
        add("repository", repository)
    }
}
