import Heartwood

/// An order at the price that was shown; nil where the price or the order's items have changed since.
func order(_ number: Int, shown view: ReadView, in store: Store) async throws -> SequenceNumber? {
    let items = KeyRange.prefix("item:\(number):")
    let summary = try "\(view.scan(items).count()) items"
    var batch = store.makeBatch()
    batch.require(.unchangedKey("price", since: view))
    batch.require(.unchangedRange(items, since: view))
    batch.put("order:\(number)", summary)
    do throws(StoreError) {
        return try await store.write(batch)
    } catch {
        guard error.code == .conflict else { throw error }
        return nil
    }
}
