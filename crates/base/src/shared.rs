//! Values that are shared until they are changed.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;

/// A value that copies share. Who changes a copy gets one of its own first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shared<T>(Arc<T>);

impl<T> Shared<T> {
    /// A value that is not shared yet.
    pub fn new(value: T) -> Self {
        Shared(Arc::new(value))
    }

    /// Whether two are one.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl<T> Deref for Shared<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: Clone> DerefMut for Shared<T> {
    fn deref_mut(&mut self) -> &mut T {
        Arc::make_mut(&mut self.0)
    }
}

impl<T: FromIterator<I>, I> FromIterator<I> for Shared<T> {
    fn from_iter<It: IntoIterator<Item = I>>(items: It) -> Self {
        Shared::new(items.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_of_one_is_not_seen_by_the_other() {
        let one = Shared::new(vec![1]);
        let mut other = one.clone();
        assert!(one.is_same(&other));
        other.push(2);
        assert!(!one.is_same(&other));
        assert_eq!((&*one, &*other), (&vec![1], &vec![1, 2]));
    }
}
