/// The repositories that are open in this process, so that all of one name on one store object share a core: no write
/// can then leave out an index that another maintains.
actor RepositoryRegistry {
    static let shared = RepositoryRegistry()

    private struct Name: Hashable {
        let store: ObjectIdentifier
        let name: String
    }

    private enum Opening {
        case inProgress(Task<Void, any Error>)
        /// No caller has it yet. It isn't the task's result, because a task may outlive its end, and would keep a core
        /// that everybody has released.
        case opened(any AnyObject & Sendable)
        case shared(WeakReference)
    }

    /// A core keeps its store alive, so the identity of a store isn't used again while its core is.
    private struct WeakReference { weak var object: (any AnyObject & Sendable)? }

    private var openings: [Name: Opening] = [:]

    /// The core of a repository that is open with the same definition; otherwise it is opened.
    nonisolated func core<Model>(
        _ definition: RepositoryDefinition<Model>, in store: any KeyValueStore
    ) async throws(StoreError) -> RepositoryCore<Model> {
        do {
            let object = try await opened(definition.name, in: store) {
                try await RepositoryCore<Model>.open(definition, in: store)
            }
            let wanted = try definition.shape(
                hasOrderedIDs: idCoding(of: Model.ID.self).isOrdered, hasOtherWriters: store.limits.hasOtherWriters)
            guard let core = object as? RepositoryCore<Model>, core.base.shape == wanted else {
                throw StoreError(
                    .invalidArgument,
                    "the repository \"\(definition.name)\" is open on this store with another type or other indexes: "
                        + "use "
                        + "one definition for both")
            }
            return core
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.cancelled, "opening a repository was cancelled: open it again", cause: error)
        }
    }

    private func opened(
        _ name: String, in store: any KeyValueStore,
        _ open: @escaping @Sendable () async throws -> any AnyObject & Sendable
    ) async throws -> any AnyObject & Sendable {
        let key = Name(store: ObjectIdentifier(store), name: name)
        while true {
            switch openings[key] {
            case .shared(let reference):
                if let object = reference.object { return object }
                openings[key] = nil
            case .opened(let object):
                openings[key] = .shared(WeakReference(object: object))
                return object
            case .inProgress(let task): try await task.value
            case nil:
                openings = openings.filter { _, opening in
                    if case .shared(let reference) = opening { reference.object != nil } else { true }
                }
                openings[key] = .inProgress(
                    Task {
                        do {
                            openings[key] = .opened(try await open())
                        } catch {
                            openings[key] = nil
                            throw error
                        }
                    })
            }
        }
    }
}
