/// How often a tree has changed its shape since it was created.
package struct TreeChurn: Sendable, Hashable {
    package var splits = 0
    package var merges = 0
    package var madeNodes = 0
    package var freedNodes = 0
    /// Pages that were ever used. If `madeNodes` is higher, freed pages were reused.
    package var pages = 0
}
