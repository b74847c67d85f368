/// A number that tells queries apart by their filter and sorts: the same in every process that runs the same program.
///
/// Of a predicate it has only what is understood of it. It protects against mistakes, not against attacks.
struct QueryFingerprint {
    // FNV-1a (Fowler, Noll, Vo).
    private var hash: UInt64 = 0xCBF2_9CE4_8422_2325

    /// - Throws: `.invalidArgument` for a filter that is too deep.
    static func of<Model>(_ query: Query<Model>) throws(StoreError) -> UInt64 {
        var fingerprint = QueryFingerprint()
        fingerprint.add(String(reflecting: Model.self))
        fingerprint.add(try query.filter.tree.node())
        for sort in query.sort {
            fingerprint.add(sort.path.stableName)
            fingerprint.add(sort.isDescending ? 1 : 0)
        }
        return fingerprint.hash
    }

    private mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }

    private mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { add(byte) }
        // No text has this byte, and no element begins with it.
        add(0xFF)
    }

    private mutating func add(_ text: String) { add(text.utf8) }

    private mutating func add(_ node: FilterNode) {
        switch node {
        case .constant(let value): add(value ? 1 : 2)
        case .condition(let condition):
            add(condition.isElement ? 3 : 4)
            add(condition.path.stableName)
            for span in condition.values.spans {
                add(span.lower)
                add(span.upper)
            }
            add(condition.isExact ? 5 : 6)
        case .not(let node):
            add(7)
            add(node)
        case .and(let nodes): add(nodes, joinedBy: 8)
        case .or(let nodes): add(nodes, joinedBy: 9)
        case .opaque(let understood):
            add(10)
            add(understood)
        case .unknown, .tooDeep: add(11)
        }
    }

    /// As if each operator had two operands, the first of which are the nodes before.
    private mutating func add(_ nodes: [FilterNode], joinedBy code: UInt8) {
        for _ in nodes.dropFirst() { add(code) }
        for node in nodes { add(node) }
    }
}
