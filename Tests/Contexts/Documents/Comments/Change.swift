// The example of a documentation comment in Sources/Heartwood/Changes/Change.swift, with the spacing that it has there.
// swift-format-ignore-file
import Heartwood

struct ChangedCopy {
    var copy: [[UInt8]: (value: [UInt8], expires: Timestamp?)] = [:]
    var isComplete = true

    mutating func apply(_ change: Change) {
        switch change.action {
        case .put(let value, let expires): copy[change.key] = (value, expires)
        case .remove: copy[change.key] = nil
        case .lost: isComplete = false      // start over: any key may have changed
        }
    }
}
