// accepts: blocking read
// refuses: blocking-any
import Heartwood
import HeartwoodLocal
import HeartwoodJobs
import HeartwoodRepository

enum SynchronousWithTypedThrows {
    // each call
    static func callN(
        _ store: Store, _ users: Repository<User>, _ note: String, _ count: inout Int
    ) throws(StoreError) {
        CALL
    }
    // end
}
