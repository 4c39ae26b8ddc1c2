import ArgumentParser
import BrokerAPI
import BrokerClient
import FlowModel
import Moments
import OAuth
import Terminal

/// Prints a token.
struct Token: Command {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Print a bearer token, from the cache where possible.",
        discussion: """
            Asks on the terminal if the policy wants something of the person, unless --no-prompt is given. Without --policy it is \
            that of the account's last sign-in, which one that only signs up never is, else the daemon's default; without \
            --account the default, or the only one.
            """
    )

    @Option(help: "The policy to get it under.") var policy: String?
    @Option(help: "A scope it must have, may be repeated; without one all that the policy grants.") var scope:
        [String] = []
    @Option(help: "The account: its id, its user name, or the beginning of either.") var account: String?
    @Option(help: "The client to ask as; the default is tokenbroker-cli.") var client: String?
    @Option(name: .customLong("min-validity"), help: "How long it must last at least: 90s, 15m, 2h.")
    var minValidity: DurationText?
    @Flag(name: .customLong("force-refresh"), help: "Get a new one even if the cached one would do.")
    var forceRefresh = false
    @Flag(name: .customLong("no-prompt"), help: "Fail with 77 instead of asking.") var noPrompt = false
    @Flag(help: "Print the whole header, `Authorization: Bearer ...`.") var header = false
    @Flag(help: "Print lines for `eval`: ACCESS_TOKEN and ACCESS_TOKEN_EXPIRES_AT, in milliseconds since 1970.")
    var env = false
    @Option(name: .customLong("for"), help: "A URL of the API that the token is for; refused if it is of none.")
    var url: String?
    @OptionGroup var answers: AnswerOptions
    @OptionGroup var connection: ConnectionOptions
    @OptionGroup var shared: SharedOptions

    func validate() throws {
        if [header, env, shared.json].filter({ $0 }).count > 1 {
            throw ValidationError(BrokerText.headerEnvOrJSON.text)
        }
    }

    /// Says that a token ends before the time that was asked for, which is no failure.
    private func warn(_ token: AcquiredToken, _ minValidity: DurationText) {
        let left = token.expiresAt - MomentClock.system.now.wall
        guard left < minValidity.milliseconds else { return }
        Program.complain(
            "tokenbroker: " + BrokerText.shortLived(seconds: max(0, left) / 1000, wanted: minValidity.seconds).text
        )
    }

    func run(_ correlation: CorrelationID) async throws {
        var acquire = AcquireRequest(scopes: scope)
        acquire.policy = policy
        acquire.client = client
        acquire.minValidityMs = minValidity?.milliseconds
        acquire.forceRefresh = forceRefresh
        acquire.correlationID = correlation
        let questions = answers.questions
        if noPrompt || !questions.canAnswer { acquire.prompt = .none }
        let token: AcquiredToken
        do {
            token = try await connection.withBroker(correlation, asking: questions) { [acquire] broker in
                var acquire = acquire
                var api: APISummary?
                if let url {
                    let destination = try Destination.of(url, among: try await broker.apis())
                    try ListenerCheck.check(destination)
                    api = destination.api
                }
                if let account {
                    let known = try await broker.account(named: account, program: "tokenbroker")
                    try api?.require(known)
                    acquire.account = known.account
                }
                try api?.require(&acquire)
                return try await broker.acquireToken(acquire).going(to: api)
            }
        } catch let error as BrokerError where error.refusal == .interactionRequired {
            var failure = CommandFailure(error, correlation)
            failure.hint = (noPrompt ? BrokerText.askedWithoutNoPrompt : .askedInTerminal).text
            throw failure
        }
        if let minValidity { warn(token, minValidity) }
        let bearer = token.accessToken.reveal()
        if shared.json {
            try Output.json(token.json)
        } else if header {
            try Output.exactly("Authorization: Bearer \(bearer)")
        } else if env {
            try Output.exactly("ACCESS_TOKEN='\(bearer.replacing("'", with: #"'\''"#))'; export ACCESS_TOKEN;")
            try Output.exactly("ACCESS_TOKEN_EXPIRES_AT=\(token.expiresAt); export ACCESS_TOKEN_EXPIRES_AT;")
        } else {
            try Output.exactly(bearer)
        }
    }
}
