import Spelling
public import StrictYAML

/// A client that the file of a policy names, and the place.
struct NamedClient: Hashable, Sendable {
    let client: String
    let file: String
    let line: Int
}

extension PolicyCatalogue {
    /// The clients that policies name and the configuration does not have, each where it is named.
    public func unknownClients(among clients: Set<String>) -> [Problem] {
        var problems: [Problem] = []
        for named in namedClients where !clients.contains(named.client) {
            let hint = NearestName.of(named.client, among: clients).map { "; did you mean \($0)?" } ?? ""
            let message = "`clientScopes.\(named.client)`: `clients` of tokenbrokerd.yaml has no such client\(hint)"
            let problem = Problem(file: named.file, line: named.line, message: message)
            if !problems.contains(problem) { problems.append(problem) }
        }
        return problems
    }
}

extension PolicyReader {
    /// Reads the checks that the scopes of single clients ask for; a scope that the policy does not grant is a problem.
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
