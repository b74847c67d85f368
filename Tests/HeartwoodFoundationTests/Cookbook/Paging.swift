import Heartwood

/// Up to `size` users after one, in order; the last name of a page is where the next one begins.
func users(after name: String?, size: Int, in store: Store) throws -> [String] {
    var range = KeyRange.prefix("user:")
    if let name { range = range.after("user:\(name)") }
    return try store.keys(in: range).prefix(size).map { key in
        String(decoding: key.dropFirst("user:".utf8.count), as: UTF8.self)
    }
}
