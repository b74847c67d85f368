/// Whose turn it is to write to the log's files: that of the log writer's thread, that of a caller who writes a commit
/// itself, or nobody's. Pure; the log's lock guards it.
///
/// A `.written` put is in the kernel after one system call of a microsecond. To hand that to another thread and be woken
/// by it takes twenty (measured: 23,000 puts a second of one task), so a caller who finds nobody writing does it itself.
/// Whoever has the turn is the only one who seals commits, writes, syncs, lays room, and turns to new segments. The
/// log writer goes first: once it waits, no caller gets the turn before it.
struct WriteTurn: Sendable, Hashable {
    enum Holder: Sendable, Hashable { case nobody, writer, caller }

    private(set) var holder = Holder.nobody
    /// The log writer has something to do, and sleeps until the caller gives the turn back.
    private(set) var isAwaited = false

    /// A caller takes the turn, if it is free.
    mutating func takeAsCaller() -> Bool {
        guard holder == .nobody, !isAwaited else { return false }
        holder = .caller
        return true
    }

    /// The log writer takes the turn; if a caller has it, it is the writer's next.
    mutating func takeAsWriter() -> Bool {
        isAwaited = holder == .caller
        guard !isAwaited else { return false }
        holder = .writer
        return true
    }

    /// Whoever has the turn is done.
    mutating func giveBack() {
        precondition(holder != .nobody, "a turn that nobody has is given back")
        holder = .nobody
    }
}
