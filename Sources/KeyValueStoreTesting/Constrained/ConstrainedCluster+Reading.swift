/// Reads of the newest state, or of a view.
extension ConstrainedCluster {
    func entries(
        of keys: [[UInt8]], in view: ConstrainedStore.View?, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> [Entry?] {
        await suspend()
        for key in keys { try behaviour.limits.check(key) }
        let sequence = try beginRead(in: view, of: handle)
        let entries = keys.map { map.entry($0, at: sequence) }
        await suspend()
        return entries
    }

    func page(
        of range: KeyRange, reversed: Bool, limit: Int, in view: ConstrainedStore.View?,
        of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> EntryPage {
        await suspend()
        guard limit >= 1 else {
            throw StoreError(.invalidArgument, "the limit is \(limit): a page has at least 1 entry")
        }
        let sequence = try beginRead(in: view, of: handle)
        let page = map.page(of: range, reversed: reversed, limit: limit, at: sequence)
        await suspend()
        return page
    }

    func count(
        of range: KeyRange, in view: ConstrainedStore.View?, of handle: ConstrainedStore.Handle
    ) async throws(StoreError) -> Int {
        await suspend()
        let sequence = try beginRead(in: view, of: handle)
        let count = map.count(of: range, at: sequence)
        await suspend()
        return count
    }
}
