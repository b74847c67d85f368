public import KeyValueStore

/// The errors of local repositories.
extension StoreError.Code {
    /// A JSON file could not be imported: it can't be read or isn't an array of items, two items have one id, or it is
    /// gone although its import was interrupted. The file and the store are unchanged.
    public static let importFailed = StoreError.Code("importFailed")
    /// A JSON file is beside a store that doesn't import it. Both are left as they are.
    public static let fileIgnored = StoreError.Code("fileIgnored")
}

extension StoreError {
    static func importFailed(_ file: String, _ what: String, _ cause: (any Error)? = nil) -> StoreError {
        StoreError(.importFailed, what, file: file, cause: cause)
    }

    static func fileIgnored(_ file: String, _ what: String, _ cause: (any Error)? = nil) -> StoreError {
        StoreError(.fileIgnored, what, file: file, cause: cause)
    }
}
