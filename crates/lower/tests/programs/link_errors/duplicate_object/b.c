int level = 1;
