import Foundation
import OAuth
import Policies
import StrictYAML

extension YAMLValue {
    /// The path it says, from the file's folder if it is relative.
    func path(from folder: String) -> String {
        text.hasPrefix("/") ? text : folder.hasSuffix("/") ? folder + text : folder + "/" + text
    }

    /// The secret in the file that it names.
    ///
    /// - Parameters:
    ///   - key: The key that it stands under.
    ///   - folder: The file's folder.
    ///   - problems: What is wrong with the file of the secret is added here.
    ///   - read: Reads that file.
    /// - Returns: The secret; `nil` if it names no file, or there is a problem.
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

    /// The texts of a mapping, by name.
    var texts: [String: String] {
        Dictionary(members.map { ($0.name, $0.value.text) }, uniquingKeysWith: { first, _ in first })
    }
}
