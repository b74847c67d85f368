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
        case opened(any Core)
        case shared(WeakReference)
    }

    /// A core keeps its store alive, so the identity of a store isn't used again while its core is.
    private struct WeakReference { weak var object: (any Core)? }

    private var openings: [Name: Opening] = [:]

    /// The core of a repository that is open with the same definition; otherwise it is opened.
    nonisolated func core<Model>(
        _ definition: RepositoryDefinition<Model>, in store: any KeyValueStore
    ) async throws(StoreError) -> RepositoryCore<Model> {
        do {
            let object = try await opened(definition.name, in: store) {
                try await RepositoryCore<Model>.open(definition, in: store)
            }
            let wanted = try definition.shape(definition.coding, hasOtherWriters: store.limits.hasOtherWriters)
            guard let core = object as? RepositoryCore<Model>, core.base.shape == wanted else {
                throw StoreError.otherDefinition(object, Model.self, wanted)
            }
            return core
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.cancelled, "opening a repository was cancelled: open it again", cause: error)
        }
    }

    /// The repositories of a process can have any models.
    protocol Core: AnyObject, Sendable {
        var base: RepositoryBase { get }
        var modelType: any Any.Type { get }
    }

    private func opened(
        _ name: String, in store: any KeyValueStore,
        _ open: @escaping @Sendable () async throws -> any Core
    ) async throws -> any Core {
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

extension RepositoryCore: RepositoryRegistry.Core {
    var modelType: any Any.Type { Model.self }
}

extension StoreError {
    /// A repository is open with another definition than the one that is asked for.
    fileprivate static func otherDefinition(
        _ open: any RepositoryRegistry.Core, _ model: any Any.Type, _ wanted: RepositoryShape
    ) -> StoreError {
        let difference =
            open.modelType == model
            ? open.base.shape.difference(to: wanted) : "with the type \(open.modelType), and not with \(model)"
        return StoreError(
            .invalidArgument,
            "the repository \"\(wanted.name)\" is open on this store \(difference): use one definition for both, or "
                + "release the other repository first")
    }
}
