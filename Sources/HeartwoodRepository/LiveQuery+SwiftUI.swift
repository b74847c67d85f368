#if canImport(SwiftUI)
// Not compiled on Linux, where there is no SwiftUI.
public import Foundation
public import SwiftUI

/// The results of a query in a view, which stay current by themselves.
///
/// ```swift
/// struct CityList: View {
///     @Live(Query<City>(sort: [.descending(\.population)], limit: 10)) private var cities
///     var body: some View { List(cities.items) { Text($0.name) } }
/// }
/// // above it: .repository(cities)
/// ```
@MainActor @propertyWrapper
public struct Live<Model: Codable & Identifiable & Sendable>: DynamicProperty
where Model.ID: Codable & SendableMetatype & Sendable {
    @Environment(\.repositories) private var repositories
    @State private var holder = Holder()
    private let query: Query<Model>

    /// Observes a query in the repository of this model that ``SwiftUI/View/repository(_:)`` has set.
    public init(_ query: Query<Model> = Query()) { self.query = query }

    /// The results.
    public var wrappedValue: LiveQuery<Model> {
        if let live = holder.live { return live }
        let live =
            if let repository = repositories.repository(of: Model.self) {
                LiveQuery(query, in: repository)
            } else {
                LiveQuery(
                    query,
                    failing: StoreError(
                        .notFound,
                        "no repository of \(Model.self) is set: call .repository(_:) on a view above this one"))
            }
        holder.live = live
        return live
    }

    @MainActor private final class Holder { var live: LiveQuery<Model>? }
}

/// The repositories of an environment, by the type of their models.
public struct Repositories: Sendable {
    private var byModel: [ObjectIdentifier: any Sendable] = [:]

    fileprivate func repository<Model>(of model: Model.Type) -> Repository<Model>? {
        byModel[ObjectIdentifier(model)] as? Repository<Model>
    }

    fileprivate mutating func set<Model>(_ repository: Repository<Model>) {
        byModel[ObjectIdentifier(Model.self)] = repository
    }
}

extension EnvironmentValues {
    /// What ``Live`` reads.
    @Entry public var repositories = Repositories()
}

extension View {
    /// Sets the repository of its model for the views below.
    public func repository<Model>(_ repository: Repository<Model>) -> some View {
        transformEnvironment(\.repositories) { $0.set(repository) }
    }

    /// Calls `flush` when the scene leaves the foreground: the last moment at which writes that are still buffered can
    /// be made durable. Give it `{ try await store.sync() }`.
    public func flushing(
        on phase: ScenePhase, _ flush: @escaping @Sendable () async throws -> Void
    ) -> some View {
        onChange(of: phase) { _, phase in
            if phase != .active { Task { try? await flush() } }
        }
    }
}
#endif
