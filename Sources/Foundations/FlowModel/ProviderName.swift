/// A namespace for the names of identity providers, which are case-insensitive.
public enum ProviderName {
    /// Returns the name in lower case, or `aad` for the former name `WindowsAzureActiveDirectory`.
    public static func usual(_ name: String) -> String {
        let name = name.lowercased()
        return name == "windowsazureactivedirectory" ? "aad" : name
    }
}
