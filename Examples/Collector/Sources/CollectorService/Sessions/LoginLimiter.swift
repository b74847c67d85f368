import Heartwood
import Hummingbird

/// Limits attempts to log in, for each address: a window of a minute has some places, and an attempt takes one.
///
/// On the persist driver, so that a restart gives an attacker no more attempts. That costs a durable write for each
/// attempt: right for logins, too dear for events, which ``TokenBucket`` limits in memory.
struct LoginLimiter: Sendable {
    let persist: any PersistDriver
    let attempts: Int
    let clock: any StoreClock

    /// - Throws: A problem, 429, if all places of the minute are taken.
    func take(_ address: String) async throws {
        let seconds = clock.now().milliseconds / 1_000
        for place in 0..<attempts {
            do {
                // Creating a key is atomic, so two attempts never take one place.
                try await persist.create(
                    key: "login/\(address)/\(seconds / 60)/\(place)", value: true, expires: .seconds(120))
                return
            } catch let error as PersistError where error == .duplicate {}
        }
        throw Problem(.tooManyRequests, "too-many-logins", "there were too many attempts to log in: wait a minute")
            .retry(after: Int(60 - seconds % 60))
    }
}
