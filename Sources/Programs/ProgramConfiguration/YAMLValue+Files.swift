import Foundation
import OAuth
import Policies
import StrictYAML

extension YAMLValue {
    func path(from folder: String) -> String {
        text.hasPrefix("/") ? text : folder.hasSuffix("/") ? folder + text : folder + "/" + text
    }

    /// Reads the secret from the specified file, or returns `nil` if there is none or after reporting a problem.
    func secret(
        _ key: String,
        from folder: String,
        problems: inout [Problem],
        _ read: (PasswordFile) throws(PasswordFile.Fault) -> Secret = { file throws(PasswordFile.Fault) in
            try file.content()
        }
    ) -> Secret? {
        guard isPresent else { return nil }
        do throws(PasswordFile.Fault) {
            return try read(PasswordFile(path: path(from: folder)))
        } catch {
            problems.append(problem("`\(key)`: \(error)"))
            return nil
        }
    }

    var texts: [String: String] {
        Dictionary(members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
    }
}
