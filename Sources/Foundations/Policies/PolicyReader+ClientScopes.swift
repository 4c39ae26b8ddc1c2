import Spelling
import StrictYAML

extension PolicyReader {
    /// Reads the checks that the scopes of single clients ask for; a scope that the policy does not grant is a problem.
    mutating func clientScopes(_ value: YAMLValue, of granted: [String: [String]]) -> [String: [String: [String]]] {
        var clients: [String: [String: [String]]] = [:]
        for (client, scopes) in value.members {
            namedClients.append(NamedClient(client: client, file: scopes.file, line: scopes.line))
            for (scope, checks) in scopes.members {
                if granted[scope] == nil {
                    let hint = NearestName.of(scope, among: granted.keys).map { "; did you mean \($0)?" } ?? ""
                    note(checks.problem("`clientScopes.\(client)`: `scopes` does not grant \(scope)\(hint)"))
                }
                clients[client, default: [:]][scope] = known(checks)
            }
        }
        return clients
    }
}
