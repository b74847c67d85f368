/// Waits for a time of a store, which no change tells of: an expiry, or when a job is due.
package enum StoreTimer {
    /// The clock may be set, and the machine may sleep, so it is looked at from time to time.
    private static let longest = Duration.seconds(1)

    /// False if the task was cancelled.
    package static func wait(for time: Timestamp, in store: any ReadableKeyValueStore) async -> Bool {
        repeat {
            let now = store.now
            let rest: Duration =
                time > now ? .milliseconds(min(time.milliseconds - now.milliseconds, 1_000)) : .zero
            // The engine may be late: something that it still shows is not asked for without a pause.
            let pause = min(max(rest, store.limits.expiryGrain / 10), longest)
            guard (try? await Task.sleep(for: pause)) != nil else { return false }
        } while store.now < time
        return true
    }
}
