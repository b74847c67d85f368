// Compiled in Tests/Cluster, which has a link to this file: Tools/contexts doesn't enable the trait.
#if CLUSTER
import HeartwoodEtcd  // .product(name: "HeartwoodEtcd", package: "heartwood")
import HeartwoodRepository  // .product(name: "HeartwoodRepository", package: "heartwood")

func opensACluster(_ definition: RepositoryDefinition<User>) async throws {
    let configuration = EtcdStore.Configuration(endpoints: [.init(host: "etcd-1"), .init(host: "etcd-2")])
    let store = try await EtcdStore.open(configuration)
    let users = try await store.repository(definition)
    _ = users
}
#endif
