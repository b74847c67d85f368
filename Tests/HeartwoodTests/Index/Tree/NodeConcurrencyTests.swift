import HeartwoodConcurrency
import Synchronization
import Testing

@testable import Heartwood

/// The protocol of node versions alone, so often that every interleaving occurs.
@Suite struct NodeConcurrencyTests {
    private final class Progress: Sendable {
        let isDone = Atomic(false)
        let mismatches = Atomic(0)
        let agreements = Atomic(0)
    }

    /// Two nodes with a number each, which a writer changes together, as a split changes parent and child.
    ///
    /// `@unchecked Sendable` is sound: threads access the memory as they access nodes, and it outlives them.
    private final class Pair: @unchecked Sendable {
        private let memory = UnsafeMutableRawPointer.allocate(byteCount: 2 * Node.byteCount, alignment: 4_096)
        var parent: Node { Node(memory) }
        var child: Node { Node(memory + Node.byteCount) }

        init() {
            for node in [parent, child] {
                node.clear(level: 0, lower: nil, upper: nil)
                Shared.store64(2, node.base)
                set(0, of: node)
            }
        }

        deinit { memory.deallocate() }

        func number(of node: Node) -> UInt64 { Shared.load64(node.base + 1_024) }
        func set(_ number: UInt64, of node: Node) { Shared.store64(number, node.base + 1_024) }

        func change(to number: UInt64) {
            parent.beginChange()
            child.beginChange()
            set(number, of: child)
            set(number, of: parent)
            child.endChange()
            parent.endChange()
        }
    }

    /// A reader that descends from a parent gets the child of that version, or notices the change.
    @Test func aChildIsTheOneOfItsParent() throws {
        let pair = Pair()
        let progress = Progress()
        let tree = TreeReader()
        defer { tree.destroy() }
        let readers = try (0..<2).map { _ in
            try startThread(name: "reader") {
                for _ in 0..<2_000_000 {
                    let version = pair.parent.version
                    guard version & 1 == 0 else { continue }
                    let number = pair.number(of: pair.parent)
                    guard let (child, childVersion) = tree.descend(from: pair.parent, version, to: pair.child.word)
                    else { continue }
                    let found = pair.number(of: child)
                    guard child.isUnchanged(since: childVersion) else { continue }
                    if found == number {
                        progress.agreements.add(1, ordering: .relaxed)
                    } else {
                        progress.mismatches.add(1, ordering: .relaxed)
                    }
                }
            }
        }
        let writer = try startThread(name: "writer") {
            var number: UInt64 = 0
            while !progress.isDone.load(ordering: .relaxed) {
                number += 1
                pair.change(to: number)
                for _ in 0..<number % 8 { pauseBeforeRetry(1) }
            }
        }
        for reader in readers { reader.join() }
        progress.isDone.store(true, ordering: .relaxed)
        writer.join()
        #expect(progress.mismatches.load(ordering: .relaxed) == 0)
        #expect(progress.agreements.load(ordering: .relaxed) > 0)
    }
}
