public import Foundation

extension URL {
    /// Stands for the member of `URL` that Foundation may have on every platform one day.
    public static var documentsDirectory: URL { URL(fileURLWithPath: "/later") }
}
