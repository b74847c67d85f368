internal import Foundation

/// The environment variables.
enum Environment {
    static subscript(name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
