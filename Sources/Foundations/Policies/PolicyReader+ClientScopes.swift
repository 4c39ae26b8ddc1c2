import Spelling
public import StrictYAML

struct NamedClient: Hashable, Sendable {
    let client: String
    let file: String
    let line: Int
}

extension PolicyCatalogue {
    /// Returns a problem for each reference to a client that the configuration does not contain.
    public func unknownClients(among clients: Set<String>) -> [Problem] {
        var problems: [Problem] = []
        for named in namedClients where !clients.contains(named.client) {
            let hint = NearestName.of(named.client, among: clients).map { "; did you mean \($0)?" } ?? ""
            let message = "`clientScopes.\(named.client)`: `clients` in tokenbrokerd.yaml does not contain it\(hint)"
            let problem = Problem(file: named.file, line: named.line, message: message)
            if !problems.contains(problem) { problems.append(problem) }
        }
        return problems
    }
}

extension PolicyReader {
    /// Reads `clientScopes:`, and reports scopes that the policy does not grant.
    mutating func clientScopes(_ value: YAMLValue, of granted: [String: [String]]) -> [String: [String: [String]]] {
        var clients: [String: [String: [String]]] = [:]
        for (client, scopes) in value.members {
            namedClients.append(NamedClient(client: client, file: scopes.file, line: scopes.line))
            for (scope, checks) in scopes.members {
                if granted[scope] == nil {
                    let hint = NearestName.of(scope, among: granted.keys).map { "; did you mean \($0)?" } ?? ""
                    refuse(checks, "`clientScopes.\(client)`: `scopes` does not grant \(scope)\(hint)")
                }
                clients[client, default: [:]][scope] = known(checks)
            }
        }
        return clients
    }
}
