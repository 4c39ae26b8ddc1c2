import OAuth
public import StrictYAML

/// Compares the configuration files of `tasksd` and `tokenbrokerd`, and reports why `tasksd` would reject tokens.
public enum FileAgreement {
    /// Compares a `tasksd` configuration with the `tokenbrokerd.yaml` at the default path, if that file exists.
    public static func problems(of tasksd: TasksdConfiguration, paths: ProgramPaths) -> [Problem] {
        guard BrokerFiles.exists(paths.brokerConfiguration),
            let broker = BrokerConfiguration.load(path: paths.brokerConfiguration).0
        else { return [] }
        return problems(of: tasksd, with: broker, at: paths.brokerConfiguration)
    }

    /// Compares a `tokenbrokerd` configuration with the `tasksd.yaml` at the default path, if that file exists.
    public static func problems(of broker: BrokerConfiguration, paths: ProgramPaths) -> [Problem] {
        guard BrokerFiles.exists(paths.tasksdConfiguration),
            let tasksd = TasksdConfiguration.load(configuration: paths.tasksdConfiguration, paths: paths).0
        else { return [] }
        return problems(of: tasksd, with: broker, at: "tokenbrokerd.yaml")
    }

    private static func problems(
        of tasksd: TasksdConfiguration,
        with broker: BrokerConfiguration,
        at path: String
    ) -> [Problem] {
        [base(tasksd, broker, path), resource(tasksd, broker, path), signIn(tasksd, broker, path)].compactMap { $0 }
    }

    /// Returns a warning if `trust` contains a local socket, but no entry has the issuer base and tenant of the broker.
    private static func base(
        _ tasksd: TasksdConfiguration,
        _ broker: BrokerConfiguration,
        _ path: String
    ) -> Problem? {
        let local = tasksd.trust.filter { trust in
            switch trust.source {
            case .socket: true
            case .url, .followed: false
            }
        }
        guard let first = local.first,
            !tasksd.trust.contains(where: { $0.base == broker.issuerBase && $0.tenant == broker.tenant })
        else { return nil }
        let message =
            "`trust` names \(first.base)/\(first.tenant), but tokens are issued by \(broker.issuerBase)/\(broker.tenant) "
            + "(`issuerBase` of \(path)); remove `trust` to follow this machine's authority"
        return first.place.warning(message)
    }

    private static func resource(
        _ tasksd: TasksdConfiguration,
        _ broker: BrokerConfiguration,
        _ path: String
    ) -> Problem? {
        guard asksHere(tasksd), let resource = tasksd.resource,
            !broker.apis.values.contains(where: { $0.resources.contains(resource) })
        else { return nil }
        let message =
            "`resource` is \(resource), but no token is issued for it: add it to one of `apis.NAME.resources` in \(path)"
        return tasksd.resourcePlace.warning(message)
    }

    /// Returns a warning if the sign-in client is in the file, but lacks a redirect URI of `tasksd`.
    private static func signIn(
        _ tasksd: TasksdConfiguration,
        _ broker: BrokerConfiguration,
        _ path: String
    ) -> Problem? {
        guard asksHere(tasksd), let signIn = tasksd.signIn, let client = broker.clients[signIn.client],
            let missing = signIn.redirectURIs.first(where: { !client.allows($0) })
        else { return nil }
        let message =
            "the client \(signIn.client) (`signIn.client`) lacks the redirect URI \(missing); add it to its `redirectURIs` in \(path)"
        return signIn.place.warning(message)
    }

    private static func asksHere(_ tasksd: TasksdConfiguration) -> Bool {
        tasksd.trust.contains { trust in
            switch trust.source {
            case .socket, .followed: true
            case .url: false
            }
        }
    }
}

extension ClientSettings {
    /// Whether `address` is one of the client's redirect URIs, ignoring the port of a loopback address.
    fileprivate func allows(_ address: String) -> Bool {
        guard let asked = try? RedirectURI(address) else { return false }
        return redirectURIs.contains { (try? RedirectURI($0))?.allows(asked) == true }
    }
}
