// accepts: blocking read
// refuses: blocking-any
import Heartwood

enum SynchronousWithTypedThrows {
    // each call
    static func callN(_ store: Store, _ note: String, _ count: inout Int) throws(StoreError) {
        CALL
    }
    // end
}
