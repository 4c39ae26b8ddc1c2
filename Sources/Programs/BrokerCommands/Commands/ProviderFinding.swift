import FlowModel
import Moments
import OpenIDClient
import OutgoingHTTP
import ProgramConfiguration

/// Checks the configured identity providers and external authorities by reading their metadata.
enum ProviderFinding {
    /// The maximum number of servers that are called at the same time.
    private static let width = 8

    static func all(_ configuration: BrokerConfiguration) async -> [Finding] {
        let providers = configuration.identityProviders.values.filter { $0.endpoints == nil }.map {
            ProviderRegistration(name: $0.name, displayName: $0.displayName, issuer: $0.issuer)
        }
        let authorities = configuration.authorities.values.filter { $0.policyIn == nil }.map {
            ProviderRegistration(name: $0.name, displayName: $0.displayName, issuer: $0.issuer)
        }
        let all = (providers + authorities).sorted { $0.name < $1.name }
        guard !all.isEmpty else { return [] }
        do throws(OutgoingSettings.Unusable) {
            return await findings(all, over: try configuration.outgoing.route())
        } catch {
            return [.bad(Text(exactly: error.description), Text("cli.doctor.mendLine"))]
        }
    }

    private static func findings(_ all: [ProviderRegistration], over route: OutgoingRoute) async -> [Finding] {
        let client = OpenIDClient(clock: .system, route: route)
        var found: [Int: Finding] = [:]
        await withTaskGroup(of: (Int, Finding).self) { tasks in
            for (index, registration) in all.enumerated() {
                if index >= width, let (index, finding) = await tasks.next() { found[index] = finding }
                tasks.addTask { (index, await finding(registration, client)) }
            }
            for await (index, finding) in tasks { found[index] = finding }
        }
        try? await client.shutdown()
        return all.indices.compactMap { found[$0] }
    }

    private static func finding(_ registration: ProviderRegistration, _ client: OpenIDClient) async -> Finding {
        do throws(ProviderError) {
            let clocks = try await client.clockDifference(to: registration)
            guard let clocks, clocks.isTooLarge else {
                return .good(Text("cli.doctor.provider", ["name": registration.name]))
            }
            return .bad(clocks.said.text, Text("cli.doctor.setClock"))
        } catch {
            let reason = error.said?.text ?? Text(exactly: error.detail)
            return .bad(
                Text("cli.doctor.providerFails", ["name": registration.name, "reason": reason]),
                error.said == nil ? Text("cli.doctor.checkProvider") : nil
            )
        }
    }
}

extension ProviderRegistration {
    /// Creates a registration that is used only to read the provider's metadata.
    fileprivate init(name: String, displayName: String, issuer: String) {
        self.init(name: name, displayName: displayName, issuer: issuer, clientID: "", redirectURI: "")
    }
}
