public import Foundation
public import Heartwood

extension StoreError: LocalizedError {
    /// The text for `localizedDescription`: the message with its remedy, then file, offset and cause if there are any.
    /// In English.
    public var errorDescription: String? { description }
}
