#if Etcd
/// How a commit fits into etcd's transactions.
///
/// Etcd allows a number of operations, 128 by default. A transaction counts as the largest of three numbers: its
/// comparisons, its operations for success, and those for failure. The transactions in it may have only as many as are
/// left. So operations that are too many for one transaction are put into groups, each a transaction in the outer one.
/// Etcd evaluates all comparisons before it changes anything, and all changes have one revision, as without groups.
struct TransactionShape {
    /// Operations of a group; nil if they all are in the outer transaction.
    let group: Int?

    /// Nil if etcd would refuse the transaction.
    ///
    /// - Parameters:
    ///   - hasRemovals: Whether some operations are transactions of two.
    ///   - limit: How many operations etcd allows.
    init?(compares: Int, operations: Int, hasRemovals: Bool, limit: Int) {
        // A removal is a transaction of two, and the operations for failure may have a transaction of one.
        let inner = hasRemovals ? 2 : 1
        if max(compares, operations) + inner <= limit {
            group = nil
            return
        }
        // The largest groups that leave enough for the comparisons; then the fewest groups.
        var size = limit - inner - compares
        while size > 0 {
            let groups = (operations + size - 1) / size
            if max(compares, groups) + size + inner <= limit {
                group = size
                return
            }
            size -= 1
        }
        return nil
    }

    /// What may be allowed of conditions and operations together, if each condition is one comparison.
    static func limits(_ limit: Int) -> (operations: Int, conditions: Int) {
        let conditions = max(1, limit * 100 / 128)
        // The slot and the horizon are compared, and the slot and the marker are put, in addition.
        let size = limit - 2 - (conditions + 2)
        return (max(1, min(1_024, (conditions + 2) * max(0, size) - 2)), conditions)
    }

    func arrange(_ operations: [EtcdRequestOp]) -> [EtcdRequestOp] {
        guard let group else { return operations }
        return stride(from: 0, to: operations.count, by: group).map { start in
            .transaction(EtcdTxnRequest(Array(operations[start..<min(operations.count, start + group)])))
        }
    }
}
#endif
