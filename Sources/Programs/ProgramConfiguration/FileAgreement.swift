import OAuth
public import StrictYAML

/// The agreement of both daemons' files on the tokens that `tokenbrokerd` issues and `tasksd` takes.
public enum FileAgreement {
    /// The problems between the file of `tasksd` and that of `tokenbrokerd` at its usual place.
    public static func problems(of tasksd: TasksdConfiguration, paths: ProgramPaths) -> [Problem] {
        guard BrokerFiles.exists(paths.brokerConfiguration),
            let broker = BrokerConfiguration.load(path: paths.brokerConfiguration).0
        else { return [] }
        return problems(of: tasksd, with: broker, at: paths.brokerConfiguration)
    }

    /// The problems between the file of `tokenbrokerd` and that of `tasksd` at its usual place.
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

    /// The problem of a base that `trust` does not have.
    ///
    /// A file that follows the authority agrees with every base; one that asks nobody on this machine is another matter.
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
            + "(`issuerBase` of \(path)); leave `trust` out to follow the authority of this machine"
        return first.place.warning(message)
    }

    /// The problem of a `resource` that the authority of this machine gives no tokens for (RFC 8707).
    private static func resource(
        _ tasksd: TasksdConfiguration,
        _ broker: BrokerConfiguration,
        _ path: String
    ) -> Problem? {
        guard asksHere(tasksd), let resource = tasksd.resource,
            !broker.apis.values.contains(where: { $0.resources.contains(resource) })
        else { return nil }
        let message =
            "`resource` is \(resource), but no token is issued for it: none of `apis.NAME.resources` of \(path) has it"
        return tasksd.resourcePlace.warning(message)
    }

    /// The problem of a client for sign-ins whose entry has not the address at which browsers come back.
    ///
    /// One that is in no file may have been made by `tokenbroker client add`, which no file tells.
    private static func signIn(
        _ tasksd: TasksdConfiguration,
        _ broker: BrokerConfiguration,
        _ path: String
    ) -> Problem? {
        guard asksHere(tasksd), let signIn = tasksd.signIn, let client = broker.clients[signIn.client],
            let missing = signIn.redirectURIs.first(where: { !client.allows($0) })
        else { return nil }
        let message =
            "`signIn.client` is \(signIn.client), whose `redirectURIs` in \(path) lack \(missing): browsers are not sent back"
        return signIn.place.warning(message)
    }

    /// True for an API that takes the tokens of this machine's authority.
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
    /// True if browsers may be sent back there: at a loopback address by any port.
    fileprivate func allows(_ address: String) -> Bool {
        guard let asked = try? RedirectURI(address) else { return false }
        return redirectURIs.contains { (try? RedirectURI($0))?.allows(asked) == true }
    }
}
