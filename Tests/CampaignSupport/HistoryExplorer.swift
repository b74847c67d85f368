/// Does histories, and judges what crashes leave of them.
package protocol HistoryExplorer: AnyObject, SendableMetatype {
    /// What was done.
    associatedtype Result: Sendable

    init()

    var result: Result { get }

    /// Does a history and judges its crashes.
    ///
    /// - Parameters:
    ///   - states: The maximum number of states for each point of the history.
    ///   - progress: Gets the number of new images; ends the exploration by returning false.
    /// - Throws: A failure that says how to replay it.
    func explore(seed: UInt64, states: Int, progress: (Int) -> Bool) async throws
}
