import Foundation
import OAuth
import Policies
import StrictYAML

extension YAMLValue {
    /// Returns the value as a path.
    ///
    /// A relative path is resolved from `folder`.
    func path(from folder: String) -> String {
        text.hasPrefix("/") ? text : folder.hasSuffix("/") ? folder + text : folder + "/" + text
    }

    /// Reads the secret from the file that the value specifies.
    ///
    /// - Parameters:
    ///   - key: The key of the value, for reporting problems.
    ///   - folder: The folder of the configuration file.
    ///   - problems: Receives the problems of the secret file.
    ///   - read: Reads the secret file at a path.
    /// - Returns: The secret, or `nil` if the value specifies no file or there is a problem.
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

    /// The string values of a mapping, by key.
    var texts: [String: String] {
        Dictionary(members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
    }
}
