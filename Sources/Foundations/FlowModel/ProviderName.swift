/// A namespace for the names of identity providers, which are case-insensitive.
public enum ProviderName {
    /// Returns the canonical, lower-case spelling of a name.
    ///
    /// The former name `WindowsAzureActiveDirectory` becomes `aad`.
    public static func usual(_ name: String) -> String {
        let name = name.lowercased()
        return name == "windowsazureactivedirectory" ? "aad" : name
    }
}
