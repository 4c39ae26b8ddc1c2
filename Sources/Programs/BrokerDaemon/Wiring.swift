import Administration
import Attempts
import Authority
import AuthorityWeb
import Broker
import Credentials
import CustomIdentity
import Deliveries
import FlowModel
import Flows
import HTTPServer
import Logging
import Moments
import NIOCore
import OpenIDClient
import OutgoingHTTP
import ProgramConfiguration
import Systemd

/// Creates the daemon's parts, and is the only type that uses all of them.
struct Wiring {
    let source: SettingsSource
    let current: CurrentSettings
    let paths: ProgramPaths
    let stateDirectory: String
    let socket: String
    let log: ServiceLog
    let metrics: PrometheusRegistry
    /// The memory budget for the responses of all HTTP listeners.
    let answers: AnswerBudget
    /// The log of the requests to all HTTP listeners.
    let requests: RequestLog

    private static func route(_ outgoing: OutgoingSettings) throws(StartFailure) -> OutgoingRoute {
        do throws(OutgoingSettings.Unusable) { return try outgoing.route() } catch {
            throw StartFailure(error.description)
        }
    }

    func parts(_ keys: KeptVaultKeys, on group: any EventLoopGroup) async throws(StartFailure) -> Parts {
        let settings = current.value
        let clock = MomentClock.system
        let stores = try await Stores.open(
            paths: paths,
            directory: stateDirectory,
            tenant: settings.configuration.tenant,
            clock: clock,
            logger: log.logger("store")
        )
        let mails = try MailDispatcher(
            settings.configuration.mail,
            trustedLoopback: settings.configuration.outgoing.trustedLoopback,
            stores.authority,
            clock,
            self
        )
        let catalogue = { @Sendable [current] in current.catalogue }
        let limits = settings.configuration.limits
        let attempts = Attempts(
            store: stores.authority,
            mails: MailLimits(perOrigin: limits.mailsPerUid, perOriginDaily: limits.mailsPerUidPerDay)
        )
        let hasher = PasswordHasher(jobs: limits.kdfJobs, queue: limits.kdfQueue)
        let route = try Self.route(settings.configuration.outgoing)
        let openID = OpenIDClient(clock: clock, route: route)
        let outside = OutsideCalls(clock: clock, route: route)
        let connectors = ConnectorClient(outside)
        let authority = Authority(
            settings: { [current] in current.authority },
            catalogue: catalogue,
            store: stores.authority,
            attempts: attempts,
            clock: clock,
            enrichment: Enrichment { connector, claims, caller in
                try await attempts.chargeHash(origin: caller.origin)
                return try await connectors.ask(connector, claims, from: caller.origin).claims
            },
            logger: log.logger("authority")
        )
        let realms = RealmClient(outside) { try await authority.notices.realmRequest(to: $0, body: $1) }
        let flows = FlowDirectory(
            catalogue: catalogue,
            store: stores.authority,
            attempts: attempts,
            hasher: hasher,
            clock: clock,
            limits: FlowLimits(perOwner: limits.flowsPerUid, total: limits.flows),
            signUp: { [current] in current.value.configuration.signUp },
            outbox: settings.configuration.mail.folderToRead(stateDirectory),
            codeInSubject: settings.configuration.mail.codeInSubject,
            mailQueued: { mails.kick() },
            takesAddress: { await mails.takes($0) },
            providers: ProviderCalls(client: openID, registrations: { [current] in current.value.providers }),
            realms: RealmCalls(client: realms) { authority.notices.assertionAudiences($0) },
            connectors: connectors,
            ports: ReturnPort.opening(
                LoopbackReturns(on: group) { [current] in current.value.configuration.outsideRedirectURI }
            ),
            logger: log.logger("flows")
        )
        let browsers = BrowserFlows(
            authority: authority,
            flows: flows,
            store: stores.authority,
            clock: clock,
            logger: log.logger("browsers")
        )
        let broker = Broker(
            authority: authority,
            flows: flows,
            cache: stores.cache,
            settings: { [current] in current.value.broker },
            catalogue: catalogue,
            clock: clock,
            machine: stores.machine,
            locks: VaultDependencies(attempts: attempts, hasher: hasher, keep: keys.keep, forget: keys.forget),
            browse: { flow, client, kind, caller in
                try await browsers.terminals.place(of: flow, client: client, by: kind, caller)
            },
            openID: openID,
            logger: log.logger("broker")
        )
        flows.onAccountEdited { await broker.edited($0, of: $1) }
        let administration = Administration(
            settings: { [current] in current.value.administration },
            authority: authority,
            store: stores.authority,
            attempts: attempts,
            clock: clock,
            machine: stores.machine,
            consequences: AdministrationCallbacks(
                changed: { broker.changed() },
                userLeft: { await broker.userLeft($0) },
                userChanged: { await broker.userChanged($0) },
                mailQueued: { mails.kick() },
                takesAddress: { await mails.takes($0) }
            )
        )
        let measures = Measures(stores: stores, hasher: hasher)
        return Parts(
            clock: clock,
            stores: stores,
            mails: mails,
            openID: openID,
            outside: outside,
            logouts: LogoutDispatcher(
                store: stores.authority,
                authority: authority,
                clock: clock,
                route: route,
                logger: log.logger("sign-outs")
            ),
            authority: authority,
            flows: flows,
            broker: broker,
            browsers: browsers,
            administration: administration,
            measures: measures
        )
    }
}
