/// Some entries of a range, and the rest of the range.
///
/// ```swift
/// var rest: KeyRange? = .prefix("user:")
/// while let range = rest {
///     let page = try await view.fetchEntries(in: range, limit: 100)
///     for entry in page.entries { print(entry.key.count, entry.value.count) }
///     rest = page.next
/// }
/// ```
public struct EntryPage: Sendable, Hashable {
    /// The entries, in the order that was asked for: as many as the limit allows, unless the range ends.
    public var entries: [Entry]
    /// The range to ask for next, with the same direction; nil if the range has ended. It isn't nil after a page that
    /// is full: that no entry follows is then only known from the next page, which is empty.
    public var next: KeyRange?

    /// - Throws: `.invalidArgument` for a limit below 1.
    package static func check(limit: Int) throws(StoreError) {
        if limit < 1 { throw StoreError(.invalidArgument, "a limit of \(limit): it must be at least 1") }
    }

    /// Creates a page.
    public init(entries: [Entry], next: KeyRange?) {
        self.entries = entries
        self.next = next
    }
}
