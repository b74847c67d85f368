import Heartwood

/// A search index of the notes of another store: which notes have a word. It is kept in a store of its own.
///
/// The source has each note's text as the value of `note/ID`. The index has:
///
///     word/WORD/ID    the note has the word
///     note/ID         the note's words, to remove them when it changes
///     position        up to where the source's changes are applied; missing while the index is incomplete
struct WordIndex {
    let store: Store
    var level = ChangeLevel.durable

    static let notes = KeyRange.prefix("note/")

    /// The ids of the notes that have a word.
    func notes(with word: String) throws -> [String] {
        let prefix = "word/\(word.lowercased())/"
        return try store.scan(.prefix(prefix)).keys.map {
            String(decoding: $0.dropFirst(prefix.utf8.count), as: UTF8.self)
        }
    }

    /// Up to where the source's changes are applied; nil while the index is incomplete.
    func position() throws -> ChangePosition? {
        try store.get("position").flatMap { ChangePosition(String(decoding: $0, as: UTF8.self)) }
    }
}

extension WordIndex {
    /// Keeps the index up to date until the source is closed, or the task is cancelled.
    func follow(_ source: Store) async throws {
        try await keepUp {
            let following = try await source.follow(in: Self.notes, level: level)
            return (following.view, following.changes)
        } after: { position in
            source.changes(after: position, in: Self.notes, level: level)
        }
    }

    /// Continues from the stored position, or starts over if there is none, or if it is unavailable.
    private func keepUp(
        from start: () async throws -> (ReadView, Changes), after resume: (ChangePosition) -> Changes
    ) async throws {
        while true {
            do {
                var changes = try position().map(resume)
                if changes == nil {
                    let (view, rest) = try await start()
                    try await build(from: view)
                    changes = rest
                }
                if let changes { return try await apply(changes) }
            } catch let error as StoreError where error.code == .positionUnavailable {
                // The log after the position was removed, or the source is another store now.
            } catch is ChangesLost {
                // A repair of the source could not bring back some changes.
            }
            try await store.remove("position", durability: .buffered)
            // A pause, because a store that has no write yet can't be followed.
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private struct ChangesLost: Error {}
}

extension WordIndex {
    /// Makes the index again from everything that a view shows. The position is written last.
    private func build(from view: ReadView) async throws {
        try await store.remove(in: .all, durability: .buffered)
        var rest: KeyRange? = Self.notes
        while let range = rest {
            let page = try await view.fetchEntries(in: range, limit: 500)
            try await store.write(durability: .buffered) { batch in
                for entry in page.entries { try put(Note(entry.value, entry.expires), at: entry.key, in: &batch) }
                if page.next == nil { batch.put("position", "\(view.position)") }
            }
            rest = page.next
        }
    }

    /// Applies changes. Each write of the source becomes one write of the index, with the position after it.
    private func apply(_ changes: Changes) async throws {
        var notes: [[UInt8]: Note] = [:]
        var feed = changes.makeAsyncIterator()
        while let change = try await feed.next() {
            switch change.action {
            case .put(let text, let expires): notes[change.key] = Note(text, expires)
            case .remove: notes[change.key] = Note()
            case .lost: throw ChangesLost()
            }
            guard change.isLastOfBatch else { continue }
            try await store.write(durability: .buffered) { batch in
                for (key, note) in notes { try put(note, at: key, in: &batch) }
                batch.put("position", "\(feed.position)")
            }
            notes = [:]
        }
        // The source was closed. Other keys may have changed since the last change of a note.
        try await store.put("position", "\(feed.position)", durability: .buffered)
    }
}

extension WordIndex {
    /// What the index has of a note; no words if there is no note.
    private struct Note {
        var words: Set<Substring> = []
        var expires: Expiry = .never

        init() {}

        /// The words of a text, in lower case, without very long ones. They expire when the text does.
        init(_ text: [UInt8], _ expires: Timestamp?) {
            let text = String(decoding: text, as: UTF8.self).lowercased()
            words = Set(text.split { !$0.isLetter && !$0.isNumber }.filter { $0.utf8.count <= 100 })
            self.expires = expires.map { .at($0) } ?? .never
        }
    }

    /// Replaces a note. `key` is its key in the source and in the index.
    private func put(_ note: Note, at key: [UInt8], in batch: inout WriteBatch) throws {
        let old = try store.get(key).map { Note($0, nil) } ?? Note()
        let id = String(decoding: key.dropFirst("note/".utf8.count), as: UTF8.self)
        for word in old.words.subtracting(note.words) { batch.remove("word/\(word)/\(id)") }
        for word in note.words { batch.put("word/\(word)/\(id)", "", expires: note.expires) }
        if note.words.isEmpty {
            batch.remove(key)
        } else {
            batch.put(key, note.words.sorted().joined(separator: " "), expires: note.expires)
        }
    }
}

extension WordIndex {
    /// Keeps the index up to date with a store that another process writes, until the task is cancelled.
    func follow(_ source: ReadOnlyStore) async throws {
        try await keepUp {
            try await source.refresh()
            let view = try source.readView()
            return (view, source.changes(after: view.position, in: Self.notes, level: level))
        } after: { position in
            source.changes(after: position, in: Self.notes, level: level)
        }
    }
}
