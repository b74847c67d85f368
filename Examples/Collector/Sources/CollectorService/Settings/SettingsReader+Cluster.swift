import Configuration
import HeartwoodEtcd

extension SettingsReader {
    /// The settings `etcd.…`; nil without `etcd.endpoints`.
    func cluster() throws -> EtcdStore.Configuration? {
        guard let names = list("etcd.endpoints") else {
            for key in Self.clusterKeys where config.string(forKey: key, isSecret: true) != nil {
                throw SettingsError("\(key): give etcd.endpoints, too, or leave it out")
            }
            return nil
        }
        let endpoints = names.compactMap { EtcdStore.Configuration.Endpoint(String($0)) }
        guard !names.isEmpty, endpoints.count == names.count else {
            let text = names.joined(separator: ",")
            throw SettingsError("etcd.endpoints is '\(text)': write HOST:PORT,HOST:PORT")
        }
        var configuration = EtcdStore.Configuration(endpoints: endpoints, prefix: text("etcd.prefix") ?? "collector/")
        let files = EtcdStore.Configuration.TLS(
            trustRoots: text("etcd.ca"), certificateChain: text("etcd.certificate"), privateKey: text("etcd.key"))
        if files != .init() { configuration.tls = files }
        let (user, password) = (text("etcd.user"), config.string(forKey: "etcd.password", isSecret: true))
        guard (user == nil) == (password == nil) else {
            throw SettingsError("etcd.user and etcd.password: give both, or none")
        }
        if let user, let password { configuration.credentials = .init(user: user, password: password) }
        try seconds("etcd.deadline", into: &configuration.deadline)
        return configuration
    }

    private static var clusterKeys: [ConfigKey] {
        ["etcd.prefix", "etcd.user", "etcd.password", "etcd.ca", "etcd.certificate", "etcd.key", "etcd.deadline"]
    }
}
