import HeartwoodFileSystem
import HeartwoodTesting
import Testing

@testable import Heartwood

/// A copy of a store that applies the changes of a feed, and checks what every feed promises.
struct Replica {
    private(set) var contents: [[UInt8]: [UInt8]] = [:]
    private(set) var position: ChangePosition
    private(set) var changes = 0
    private(set) var lost: [ClosedRange<SequenceNumber>] = []
    private var batch: SequenceNumber?

    init(at position: ChangePosition) { self.position = position }

    init(_ view: ReadView) throws {
        self.init(at: view.position)
        var contents: [[UInt8]: [UInt8]] = [:]
        try view.forEach { entry in
            contents[entry.key] = entry.value
            return .next
        }
        self.contents = contents
    }

    mutating func apply(_ change: Change) {
        #expect(change.store == position.store)
        if let batch {
            #expect(change.sequence == batch, "a batch was interrupted")
        } else {
            #expect(change.sequence > position.sequence, "a change came twice")
        }
        batch = change.isLastOfBatch ? nil : change.sequence
        switch change.action {
        case .put(let value, _): contents[change.key] = value
        case .remove: contents[change.key] = nil
        case .lost(let first): lost.append(first...change.sequence)
        }
        position = change.position
        changes += 1
    }

    /// Applies changes up to a sequence number.
    mutating func follow(_ feed: inout Changes.AsyncIterator, to sequence: SequenceNumber) async throws {
        while position.sequence < sequence { apply(try #require(try await feed.next())) }
    }
}

extension Store {
    /// All keys and values.
    nonisolated func everything() throws -> [[UInt8]: [UInt8]] {
        var contents: [[UInt8]: [UInt8]] = [:]
        try forEach { entry in
            contents[entry.key] = entry.value
            return .next
        }
        return contents
    }

    /// The position before the first write.
    nonisolated var beginning: ChangePosition { ChangePosition(store: id, sequence: 0) }
}
