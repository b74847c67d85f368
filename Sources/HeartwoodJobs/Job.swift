/// Work that is stored, and done later by a worker, at least once.
///
/// ```swift
/// struct SendEmail: Job {
///     static let name = "send-email"
///     var address: String
///     var template: String
/// }
/// ```
///
/// Its properties are stored with it. A worker decodes them, perhaps days later and with a newer version of the
/// program: add properties only as optionals, and keep ``name``. Store an id rather than a large value.
public protocol Job: Codable, Sendable {
    /// Identifies the kind of job in the store. Constant.
    static var name: String { get }
    /// What applies to jobs of this kind, unless an enqueuing says otherwise. By default the defaults of
    /// ``JobOptions``.
    static var options: JobOptions { get }
}

extension Job {
    /// No options.
    public static var options: JobOptions { JobOptions() }
}
