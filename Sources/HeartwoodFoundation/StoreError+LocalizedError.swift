public import Foundation
public import Heartwood

extension StoreError: LocalizedError {
    /// What `localizedDescription` says: the message with its remedy, then file, offset and cause where there are any. In
    /// English.
    public var errorDescription: String? { description }
}
